import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";
import { confirm } from "../../terminal/confirm.ts";
import { KINDS, objectsOf, removeObjects } from "./owned-resources.ts";
import { recover } from "./recover.ts";
import { runOperation } from "./run.ts";
import { settingHint } from "./stack-file.ts";
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

type Ask = (question: string) => Promise<boolean>;

/** Asks, unless YES=1. @param ask undefined without a terminal @throws UserError if the answer is no */
export async function confirmDeletion(
  stack: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  ask: Ask | undefined = process.stdin.isTTY ? confirm : undefined,
): Promise<void> {
  const isAsked = ask !== undefined && env.YES !== "1";
  if (isAsked && !(await ask(`Delete the stack ${stack} with its data and secrets?`))) {
    throw new UserError("Nothing was deleted", "run make down to stop the stack and keep its data");
  }
  console.error(`Removing the stack ${stack} with its data and secrets.`);
}

/** Refuses a mistyped name. The objects of a lost backend are deletable, too. @throws UserError */
export async function requireDeletable(name: string, isForeign = false): Promise<void> {
  if (!isForeign) await requireStack(name);
}

/** Deletes the stack and its data; a rerun completes it. @param isForeign also what Pulumi has not recorded */
export async function clean(name: string, isForeign = false): Promise<void> {
  const wasRecorded = await isRecorded(name);
  const isOwn = wasRecorded && (await destroyAll(await openStack(name)));
  // Also images, which Pulumi's provider keeps.
  if (isOwn || isForeign) await removeObjects(await objectsOf(name, KINDS));
  if (wasRecorded) await removeStack(name);
  // Pulumi's last message names a command that has already been run.
  console.error(`Removed the stack ${name} with its data.`);
}

/** @returns false for a stack without resources, whose name a stack of another backend may have */
async function destroyAll(stack: Stack): Promise<boolean> {
  const { resources } = await recover(stack);
  if (resources.some(({ protect }) => protect)) {
    throw new UserError(
      `The data of the stack ${stack.name} are protected. Nothing was removed`,
      `${settingHint(stack.name, "protectData", "false")}, then retry`,
    );
  }
  await destroy(stack, []);
  return resources.length > 0;
}

const FAILURE = { message: "Not everything was removed", hint: "fix the cause, then retry" };

const destroy = (stack: Stack, exclude: string[]): Promise<unknown> =>
  runOperation(FAILURE, (shown) => stack.destroy({ ...shown, exclude }));
