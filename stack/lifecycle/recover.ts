import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { recordedIdentity } from "../../components/shared/identity.ts";
import { ownedObjects, removeObjects } from "./owned-resources.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { isPulumiInstalled } from "./pulumi-program.ts";
import { runOperation } from "./run.ts";
import { isRecorded, openStack, requireStack } from "./workspace.ts";

export interface RecordedResource {
  readonly urn: string;
  readonly type?: string;
  readonly id?: string;
  readonly protect?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** What Pulumi exports of a stack; empty lists may be absent. */
interface Exported {
  readonly resources?: readonly RecordedResource[] | null;
  readonly pending_operations?: readonly unknown[] | null;
}

export interface Deployment {
  readonly resources: readonly RecordedResource[];
  readonly isInterrupted: boolean;
  /** Id on the labels of what this state created; undefined before its first run. */
  readonly identity: string | undefined;
}

export async function readDeployment(stack: Stack): Promise<Deployment> {
  const { deployment } = await withPulumiErrors(() => stack.exportStack());
  const { resources, pending_operations: pending } = (deployment ?? {}) as Exported;
  return {
    resources: resources ?? [],
    isInterrupted: (pending ?? []).length > 0,
    identity: recordedIdentity(resources ?? []),
  };
}

/** Reads the state of a stack by its name. @throws UserError if the stack does not exist */
export async function deploymentOf(name: string): Promise<Deployment> {
  await requireStack(name);
  return readDeployment(await openStack(name));
}

/** Returns the id of a stack's state, without a download; undefined if nothing is recorded. */
export async function identityOf(name: string): Promise<string | undefined> {
  if (!isPulumiInstalled() || !(await isRecorded(name))) return undefined;
  return (await readDeployment(await openStack(name))).identity;
}

/**
 * Removes containers and networks that a killed run created and Pulumi has not recorded, because the
 * next run needs their names. Volumes are created again without an error.
 * @throws UserError if another command runs
 */
export async function recover(stack: Stack): Promise<Deployment> {
  const before = await readDeployment(stack);
  if (!before.isInterrupted) return before;
  // Only a lock distinguishes a run in progress from a killed run; a refresh takes the lock.
  await refresh(stack);
  const deployment = await readDeployment(stack);
  const recorded = new Set(deployment.resources.map(({ id }) => id));
  const found = await ownedObjects(deployment.identity, ["container", "network"]);
  await removeObjects(found.filter(({ id }) => !recorded.has(id)));
  return deployment;
}

/** Pattern of URNs to exclude from a refresh, which fails while Grafana is down; not its provider. */
const GRAFANA_CONTENT = "**grafana:*/**";

const FAILURE = {
  message: "Pulumi cannot compare its state with the engine",
  hint: "run make doctor, then retry",
};

export const refresh = (stack: Stack, clearPendingCreates = false): Promise<unknown> =>
  runOperation(FAILURE, (shown) =>
    stack.refresh({ ...shown, exclude: [GRAFANA_CONTENT], clearPendingCreates }),
  );
