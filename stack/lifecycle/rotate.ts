import { keyResource, SUPERSET_KEY } from "../../components/secrets.ts";
import { requireService } from "../require-service.ts";
import { localConfig } from "./local-config.ts";
import { readDeployment } from "./recover.ts";
import { configWith, writeStackFile } from "./stack-file.ts";
import { up } from "./up.ts";
import { openStack, requireStack } from "./workspace.ts";

/**
 * Rotates Superset's key. Completes a failed rotation first, because a third key cannot decrypt
 * values of the first.
 * @throws UserError if the stack or its Superset does not exist
 */
export async function rotateSupersetKey(name: string): Promise<void> {
  await requireStack(name);
  const config = localConfig(name);
  requireService(name, config, "superset");
  const generation = config.superset?.secretKeyGeneration ?? 1;
  const { resources } = await readDeployment(await openStack(name));
  const key = keyResource(SUPERSET_KEY, generation);
  const isComplete = resources.some(({ urn }) => urn.endsWith(`::${key}`));
  // When Superset is healthy, all values are encrypted with the current key.
  await up(name);
  if (!isComplete) return;
  writeStackFile(
    name,
    configWith(name, undefined, [["superset.secretKeyGeneration", generation + 1]]),
  );
  await up(name);
}
