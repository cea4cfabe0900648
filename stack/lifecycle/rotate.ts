import { keyResource, SUPERSET_KEY } from "../../components/secrets.ts";
import { requireService } from "../require-service.ts";
import { configOf, readValues } from "./local-config.ts";
import { readClient } from "./outputs.ts";
import { readDeployment } from "./recover.ts";
import { changedText, stackText, writeStackFile } from "./stack-file.ts";
import { up } from "./up.ts";
import { openStack, requireStack } from "./workspace.ts";

/**
 * Rotates Superset's key. Completes a failed rotation first, because a third key cannot decrypt
 * values of the first.
 * @throws UserError if the stack or its Superset does not exist
 */
export async function rotateSupersetKey(name: string): Promise<void> {
  await requireStack(name);
  const stack = await openStack(name);
  const { keyGenerations } = await configOf(stack);
  requireService(name, await readClient(name), "superset");
  const generation = keyGenerations.superset;
  const { resources } = await readDeployment(stack);
  const key = keyResource(SUPERSET_KEY, generation);
  const isComplete = resources.some(({ urn }) => urn.endsWith(`::${key}`));
  // When Superset is healthy, all values are encrypted with the current key.
  await up(name);
  if (!isComplete) return;
  const changes = [["postgres.supersetKeyGeneration", generation + 1]] as const;
  writeStackFile(name, changedText(stackText(name), await readValues(stack), changes));
  await up(name);
}
