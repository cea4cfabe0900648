import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";
import { docker } from "../../terminal/docker.ts";
import { type OwnedKind, owned } from "./owned.ts";
import { readDeployment, recover } from "./recover.ts";
import { runOperation } from "./run.ts";
import { openStack, requireStack } from "./workspace.ts";

const KEPT = ["**docker:index/volume:Volume::**", "**random:index/**"];

export async function down(name: string): Promise<void> {
  await requireStack(name);
  const stack = await openStack(name);
  await recover(stack);
  await destroy(stack, KEPT);
}

/** Resumable. @param isForeign also removes resources that Pulumi's backend here does not record */
export async function clean(name: string, isForeign = false): Promise<void> {
  const stack = await openStack(name);
  const { resources } = await (isForeign ? readDeployment(stack) : recover(stack));
  if (resources.some(({ protect }) => protect)) throw isProtected(name);
  await destroy(stack, []);
  for (const kind of KINDS) await removeLeftovers(name, kind);
  await stack.workspace.removeStack(name, { preserveConfig: true });
}

const isProtected = (name: string): UserError =>
  new UserError(
    `The data of the stack ${name} are protected. Nothing was removed`,
    `set protectData to false in Pulumi.${name}.yaml, then make up STACK=${name}, then retry`,
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

/** Containers first, because they use the others. */
const KINDS: readonly OwnedKind[] = ["container", "network", "volume", "image"];

const REMOVE: Readonly<Record<OwnedKind, readonly string[]>> = {
  container: ["rm", "--force", "--volumes"],
  network: ["network", "rm"],
  volume: ["volume", "rm"],
  image: ["image", "rm", "--force"],
};

/** Includes images, which the provider keeps. */
async function removeLeftovers(stack: string, kind: OwnedKind): Promise<void> {
  const ids = new Set((await owned(kind, stack)).map(({ id }) => id));
  if (ids.size > 0) await docker(...REMOVE[kind], ...ids);
}
