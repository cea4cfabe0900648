import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { type Owned, type OwnedKind, owned, removeContainers, removeNetworks } from "./owned.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { runOperation } from "./run.ts";

const recordedSchema = z.looseObject({
  urn: z.string(),
  id: z.string().optional(),
  protect: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
});

const deploymentSchema = z.looseObject({
  resources: z.array(recordedSchema).nullish(),
  pending_operations: z.array(z.unknown()).nullish(),
});

/** What Pulumi has recorded of a stack. */
export interface Deployment {
  readonly resources: readonly z.infer<typeof recordedSchema>[];
  /** True if a run was killed in the midst of an operation, or is in progress. */
  readonly isCutOff: boolean;
}

export async function readDeployment(stack: Stack): Promise<Deployment> {
  const { deployment } = await withPulumiErrors(() => stack.exportStack());
  const { resources, pending_operations: pending } = deploymentSchema.parse(deployment ?? {});
  return { resources: resources ?? [], isCutOff: (pending ?? []).length > 0 };
}

/** What a start creates at the container engine. */
export const PARTS = ["container", "network", "volume"] as const satisfies readonly OwnedKind[];

export interface Part extends Owned {
  readonly kind: (typeof PARTS)[number];
}

/** What the engine holds of a stack and Pulumi has not recorded. */
export async function unrecordedParts(stack: string, { resources }: Deployment): Promise<Part[]> {
  const ids = new Set(resources.map(({ id }) => id));
  const found: Part[] = [];
  for (const kind of PARTS) {
    const parts = await owned(kind, stack);
    found.push(...parts.filter(({ id }) => !ids.has(id)).map((part) => ({ ...part, kind })));
  }
  return found;
}

/**
 * Removes the containers and networks that a killed run has created and Pulumi has not recorded: the
 * next run needs their names and reuses their volumes.
 * @throws UserError if another command works on the stack, or another backend records it
 */
export async function recover(stack: Stack): Promise<Deployment> {
  const { deployment, parts } = await leftoversOf(stack);
  if (parts.length === 0) return deployment;
  // A run in progress looks like a killed one: only its lock differs. This takes the lock.
  await refresh(stack);
  const afterRefresh = await leftoversOf(stack);
  await removeContainers(afterRefresh.parts.filter(({ kind }) => kind === "container"));
  await removeNetworks(afterRefresh.parts.filter(({ kind }) => kind === "network"));
  return afterRefresh.deployment;
}

/** Reports what `recover` would remove, and removes nothing. */
export async function reportLeftovers(stack: Stack): Promise<void> {
  const { parts } = await leftoversOf(stack);
  if (parts.length === 0) return;
  console.error(
    `Not recorded by Pulumi: ${listed(parts)}. Unless a command is creating them, make up STACK=${stack.name} removes them.`,
  );
}

/** Grafana content cannot be read while Grafana is down; does not match its provider. */
const GRAFANA_CONTENT = "**grafana:*/**";

/** Records what was stopped or removed by hand. Pending creates stay recorded unless cleared. */
export const refresh = (stack: Stack, clearPendingCreates = false): Promise<unknown> =>
  runOperation(stack, (shown) =>
    stack.refresh({ ...shown, exclude: [GRAFANA_CONTENT], clearPendingCreates }),
  );

interface Leftovers {
  readonly deployment: Deployment;
  /** Containers and networks of a run that was killed or is in progress. */
  readonly parts: readonly Part[];
}

async function leftoversOf(stack: Stack): Promise<Leftovers> {
  const deployment = await readDeployment(stack);
  const parts = await unrecordedParts(stack.name, deployment);
  const isNew = deployment.resources.length === 0;
  // Volumes of a run that was killed twice may be unrecorded without a trace.
  const foreign = parts.filter(({ kind }) => kind !== "volume" || isNew);
  if (foreign.length > 0 && !deployment.isCutOff) {
    throw isNew ? foreignStack(stack.name, foreign) : foreignParts(stack.name, foreign);
  }
  return { deployment, parts: parts.filter(({ kind }) => kind !== "volume") };
}

const MOST_LISTED = 8;

function listed(parts: readonly Part[]): string {
  const names = parts.map(({ kind, name }) => `${kind} ${name}`);
  const more = names.length - MOST_LISTED;
  return [...names.slice(0, MOST_LISTED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function foreignStack(stack: string, parts: readonly Part[]): UserError {
  return new UserError(
    `This machine has a stack named ${stack} that Pulumi's backend here does not record: ${listed(parts)}.`,
    `choose another name: make up STACK=${stack}-2; or remove that stack with its data: make clean STACK=${stack} FOREIGN=1`,
  );
}

/** The stack is recorded, so the data is its own: only the parts that nobody records have to go. */
const foreignParts = (stack: string, parts: readonly Part[]): UserError =>
  new UserError(
    `The stack ${stack} has containers or networks that Pulumi does not record: ${listed(parts)}.`,
    `if nobody uses them: ${removalCommands(parts)}; then retry`,
  );

/** Commands for a shell that remove containers and networks; volumes stay. */
export function removalCommands(parts: readonly Part[]): string {
  const namesOf = (wanted: OwnedKind) =>
    parts.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));
  return [
    ["docker rm -f", ...namesOf("container")],
    ["docker network rm", ...namesOf("network")],
  ]
    .filter(({ length }) => length > 1)
    .map((words) => words.join(" "))
    .join("; ");
}
