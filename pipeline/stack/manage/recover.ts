import { join } from "node:path";
import { stackFolder, writePrivate } from "../state.ts";
import { removeContainers, removeNetworks } from "./docker.ts";
import { releaseLock } from "./lock.ts";
import { pulumiText } from "./pulumi.ts";
import { exportState, type Recorded, readRecorded } from "./recorded.ts";
import { PARTS, type Part, unrecorded } from "./unrecorded.ts";

/**
 * Makes the next run possible after one that was cut off anywhere: releases a lock whose holder is
 * gone, forgets operations nobody will finish, removes containers and networks that were made and
 * never recorded. Data volumes are not touched: a run takes up what is there.
 * @param kinds that the run will touch: only of these another's are refused
 * @returns what is recorded of the stack
 * @throws UserError when somebody else has a stack of this name on this machine
 */
export async function recover(
  stack: string,
  kinds: readonly Part[] = PARTS,
): Promise<readonly Recorded[]> {
  await releaseLock(stack);
  const deployment = await readRecorded(stack);
  const { resources = [], pending_operations: pending = [] } = deployment;
  const { containers, networks } = await unrecorded(stack, deployment, kinds);
  await removeContainers(containers);
  await removeNetworks(networks);
  if (pending.length > 0) await forgetPending(stack);
  return resources;
}

async function forgetPending(stack: string): Promise<void> {
  const state = await exportState(stack);
  const file = join(stackFolder(stack), "recovered-state.json");
  const deployment = { ...state.deployment, pending_operations: [] };
  writePrivate(file, JSON.stringify({ ...state, deployment }));
  await pulumiText(stack, "stack", "import", "--stack", stack, "--file", file);
}
