import { SUPERSET_KEY, setSecretCommand } from "../../components/secrets.ts";
import { UserError } from "../../contract/errors.ts";
import { requireService } from "../require-service.ts";
import { lastGeneration } from "./key-generations.ts";
import { projectConfig } from "./local-config.ts";
import { readDeployment } from "./recover.ts";
import { configWith, writeStackFile } from "./stack-file.ts";
import { up } from "./up.ts";
import { openStack, requireStack } from "./workspace.ts";

/**
 * Rotates Superset's key. Completes a failed rotation first, because a third key cannot decrypt
 * values of the first.
 * @throws UserError if the stack or its Superset does not exist, or the configuration sets the key
 */
export async function rotateSupersetKey(name: string): Promise<void> {
  await requireStack(name);
  const { config, configured } = projectConfig(name);
  requireService(name, config, "superset");
  if (configured.has(SUPERSET_KEY.current)) throw keyOfTheUser();
  const generation = config.superset?.secretKeyGeneration ?? 1;
  const recorded = lastGeneration(SUPERSET_KEY, await readDeployment(await openStack(name)));
  // When Superset is healthy, all values are encrypted with the current key.
  await up(name);
  if (recorded < generation) return;
  writeStackFile(
    name,
    configWith(name, undefined, [["superset.secretKeyGeneration", generation + 1]]),
  );
  await up(name);
}

const keyOfTheUser = (): UserError =>
  new UserError(
    "The configuration sets supersetSecretKey, so a generated key would be ignored",
    `run ${setSecretCommand("supersetPreviousSecretKey")} with the current key and ${setSecretCommand("supersetSecretKey")} with a new key, then make up`,
  );
