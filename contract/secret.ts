import { readFileSync } from "node:fs";
import { UserError } from "./errors.ts";

/** Reads `<NAME>`, or the file that `<NAME>_FILE` names. @throws UserError for an unreadable file */
export function readSecret(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  if (env[name]) return env[name];
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UserError(
      `${name}_FILE=${file} cannot be read: ${(error as Error).message}`,
      `set ${name}, or set ${name}_FILE to a readable file (ls -l ${file})`,
    );
  }
}
