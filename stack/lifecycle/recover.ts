import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { objectsOf, removeObjects } from "./owned-resources.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { runOperation } from "./run.ts";

interface RecordedResource {
  readonly urn: string;
  readonly id?: string;
  readonly protect?: boolean;
}

/** What Pulumi exports of a stack; empty lists may be absent. */
interface Exported {
  readonly resources?: readonly RecordedResource[] | null;
  readonly pending_operations?: readonly unknown[] | null;
}

export interface Deployment {
  readonly resources: readonly RecordedResource[];
  readonly isInterrupted: boolean;
}

export async function readDeployment(stack: Stack): Promise<Deployment> {
  const { deployment } = await withPulumiErrors(() => stack.exportStack());
  const { resources, pending_operations: pending } = (deployment ?? {}) as Exported;
  return { resources: resources ?? [], isInterrupted: (pending ?? []).length > 0 };
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
  const found = await objectsOf(stack.name, ["container", "network"]);
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
