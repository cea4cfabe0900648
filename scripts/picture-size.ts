import { statSync } from "node:fs";
import { UserError } from "../contract/errors.ts";

/** Largest picture for the repository, bytes. */
const LIMIT = 400 * 1000;

/** Prints the size of a picture. @throws UserError if it is too large for the repository */
export function reportPicture(path: string, smaller: string): void {
  const { size } = statSync(path);
  process.stdout.write(`${path}: ${Math.round(size / 1000)} kB\n`);
  if (size > LIMIT) throw new UserError(`${path} has ${size} bytes. Allowed: ${LIMIT}`, smaller);
}
