import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../contract/errors.ts";
import { planStack } from "../plan/stack.ts";
import { newSecret } from "../secrets.ts";
import { secretsFile, stackFolder, writePrivate } from "../state.ts";
import { localContext } from "./plan.ts";
import { up } from "./up.ts";

/**
 * Gives Superset a new secret key. The one in use becomes the previous one, with which it reads
 * what it has encrypted so far. A rotation that was cut off is carried on: a third key would lock out
 * what is still encrypted with the first.
 * Without Superset nothing would be encrypted anew, and a second rotation would forget the key in use.
 * @throws UserError where the stack has no secrets yet, or no Superset
 */
export async function rotateBiKey(stack: string): Promise<void> {
  const file = secretsFile(stack);
  if (!existsSync(file)) {
    throw new UserError(`The stack ${stack} has no secrets yet.`, `make up STACK=${stack}`);
  }
  if (planStack(localContext(stack)).bi === null) {
    throw new UserError(
      `The stack ${stack} has no Superset (bi.enabled: false) that could use a new key.`,
      `bi.enabled: true in its configuration, make up STACK=${stack}, then the same command`,
    );
  }
  const begun = join(stackFolder(stack), "bi-rotation");
  if (!existsSync(begun)) writePrivate(begun, newSecret());
  const key = readFileSync(begun, "utf8");
  const secrets = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  if (secrets.biSecretKey !== key) {
    const keys = { biPreviousSecretKey: secrets.biSecretKey, biSecretKey: key };
    writePrivate(file, `${JSON.stringify({ ...secrets, ...keys }, null, 2)}\n`);
  }
  await up(stack);
  rmSync(begun);
}
