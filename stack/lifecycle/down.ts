import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";
import { docker } from "../../terminal/docker.ts";
import { settingHint } from "../make-hints.ts";
import { type OwnedKind, owned } from "./owned-resources.ts";
import { readDeployment, recover, refuseForeign } from "./recover.ts";
import { runOperation } from "./run.ts";
import { isMadeFile, removeMadeFile } from "./stack-file.ts";
import { isRecorded, openStack, removeStack, requireStack } from "./workspace.ts";

export async function down(name: string): Promise<void> {
  await requireStack(name);
  const stack = await openStack(name);
  await recover(stack);
  await destroy(stack, KEPT);
  console.error(`Stopped the stack ${name}. Its data are kept.`);
}

/** Resources that the next start needs: volumes and secrets. */
const KEPT = ["**docker:index/volume:Volume::**", "**random:index/**"];

/** Refuses a mistyped name, which `clean` would create. @throws UserError */
export async function requireDeletable(name: string): Promise<void> {
  if ((await isRecorded(name)) || isMadeFile(name)) return;
  // The objects of a lost backend are deletable, too.
  for (const kind of KINDS) if ((await owned(kind, name)).length > 0) return;
  await requireStack(name);
}

/**
 * Deletes the stack, its data and the file that make created; a rerun completes it.
 * @param isForeign also unrecorded resources
 */
export async function clean(name: string, isForeign = false): Promise<void> {
  const wasRecorded = await isRecorded(name);
  if (wasRecorded) await destroyAll(await openStack(name), isForeign);
  else if (!isForeign) await refuseForeign(name);
  await removeOwned(name);
  if (wasRecorded) await removeStack(name);
  removeMadeFile(name);
  // Pulumi's last message names a command that has already been run.
  console.error(`Removed the stack ${name} with its data.`);
}

async function destroyAll(stack: Stack, isForeign: boolean): Promise<void> {
  const { resources } = await (isForeign ? readDeployment(stack) : recover(stack));
  if (resources.some(({ protect }) => protect)) throw isProtected(stack.name);
  await destroy(stack, []);
}

const isProtected = (name: string): UserError =>
  new UserError(
    `The data of the stack ${name} are protected. Nothing was removed`,
    `${settingHint(name, "protectData", "false")}, then retry`,
  );

async function destroy(stack: Stack, exclude: string[]): Promise<void> {
  try {
    await runOperation(stack, (shown) => stack.destroy({ ...shown, exclude }));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      "Not everything was removed: Pulumi's messages above show what failed",
      "fix the cause, then retry",
    );
  }
}

/** Kinds in order of deletion: containers first, because they use the others. */
const KINDS: readonly OwnedKind[] = ["container", "network", "volume", "image"];

const REMOVE: Readonly<Record<OwnedKind, readonly string[]>> = {
  container: ["rm", "--force", "--volumes"],
  network: ["network", "rm"],
  volume: ["volume", "rm"],
  image: ["image", "rm", "--force"],
};

/** Removes all Docker objects of a stack, also images, which Pulumi's provider keeps. Ignores `protectData`. */
export async function removeOwned(stack: string): Promise<void> {
  for (const kind of KINDS) {
    const ids = new Set((await owned(kind, stack)).map(({ id }) => id));
    if (ids.size > 0) await docker(...REMOVE[kind], ...ids);
  }
}
