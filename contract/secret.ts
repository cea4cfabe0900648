import { readFileSync } from "node:fs";
import { UserError } from "./errors.ts";

/**
 * A secret from the variable itself, or from the file that `<NAME>_FILE` names: containers get
 * theirs as files.
 * @throws UserError when the file cannot be read
 */
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
      `set ${name}, or name a file that this user may read`,
    );
  }
}
