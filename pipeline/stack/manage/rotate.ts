import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setSecretCommand } from "../../../components/secrets.ts";
import { planStack } from "../../../components/services.ts";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { stackFolder, writePrivate } from "../state.ts";
import { localContext } from "./plan.ts";
import { up } from "./up.ts";
import { openStack, requireStack } from "./workspace.ts";

/**
 * Gives Superset a new secret key: the next generation, which re-encrypts what the one before has
 * encrypted. A rotation that failed is continued: a third key would lock out what is still encrypted
 * with the first.
 * @throws UserError where there is no such stack, or it has no Superset, or a key of the user's own
 */
export async function rotateBiKey(name: string): Promise<void> {
  await requireStack(name);
  const { config, configured, ...context } = localContext(name);
  if (planStack({ config, configured, ...context }).bi === null) throw withoutBi(name);
  if (configured.has("biSecretKey")) throw keyOfTheUser();
  const begun = join(stackFolder(name), "bi-rotation");
  if (!existsSync(begun)) writePrivate(begun, String(config.bi.secretKeyGeneration + 1));
  const generation = { value: readFileSync(begun, "utf8") };
  const stack = await openStack(name);
  await stack.setConfig(`${PROJECT}:bi.secretKeyGeneration`, generation, true);
  await up(name);
  rmSync(begun);
}

const withoutBi = (name: string): UserError =>
  new UserError(
    `The stack ${name} has no Superset (bi.enabled: false) that could use a new key.`,
    `bi.enabled: true in its configuration, make up STACK=${name}, then the same command`,
  );

const keyOfTheUser = (): UserError =>
  new UserError(
    "The configuration sets biSecretKey, so that a generated key would not be used.",
    `${setSecretCommand("biPreviousSecretKey")} with the current value, the same for biSecretKey with another, then make up`,
  );
