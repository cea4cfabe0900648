import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import {
  type OwnedKind,
  type OwnedObject,
  owned,
  removeContainers,
  removeNetworks,
} from "./owned-resources.ts";
import { withPulumiErrors } from "./pulumi-errors.ts";
import { runOperation } from "./run.ts";

const recordedSchema = z.looseObject({
  urn: z.string(),
  id: z.string().optional(),
  protect: z.boolean().optional(),
  /** URN of a resource whose deletion deletes this one, without a request to the provider. */
  deletedWith: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
});

const deploymentSchema = z.looseObject({
  resources: z.array(recordedSchema).nullish(),
  pending_operations: z.array(z.unknown()).nullish(),
});

export interface Deployment {
  readonly resources: readonly z.infer<typeof recordedSchema>[];
  readonly isInterrupted: boolean;
}

export async function readDeployment(stack: Stack): Promise<Deployment> {
  const { deployment } = await withPulumiErrors(() => stack.exportStack());
  const { resources, pending_operations: pending } = deploymentSchema.parse(deployment ?? {});
  return { resources: resources ?? [], isInterrupted: (pending ?? []).length > 0 };
}

export const PARTS = ["container", "network", "volume"] as const satisfies readonly OwnedKind[];

export interface Part extends OwnedObject {
  readonly kind: (typeof PARTS)[number];
}

export async function unrecordedParts(stack: string, { resources }: Deployment): Promise<Part[]> {
  const ids = new Set(resources.map(({ id }) => id));
  const found: Part[] = [];
  for (const kind of PARTS) {
    const parts = await owned(kind, stack);
    found.push(...parts.filter(({ id }) => !ids.has(id)).map((part) => ({ ...part, kind })));
  }
  return found;
}

/** Checks the name of a new stack. @throws UserError if a stack of another backend has it */
export async function refuseForeign(stack: string): Promise<void> {
  const parts = await unrecordedParts(stack, { resources: [], isInterrupted: false });
  if (parts.length > 0) throw foreignStack(stack, parts);
}

/** Removes leftovers whose names the next run needs. @throws UserError if another command runs */
export async function recover(stack: Stack): Promise<Deployment> {
  const { deployment, parts } = await leftoversOf(stack);
  if (parts.length === 0) return deployment;
  // Only a lock distinguishes a run in progress from a killed run; a refresh takes the lock.
  await refresh(stack);
  const afterRefresh = await leftoversOf(stack);
  await removeContainers(afterRefresh.parts.filter(({ kind }) => kind === "container"));
  await removeNetworks(afterRefresh.parts.filter(({ kind }) => kind === "network"));
  return afterRefresh.deployment;
}

export async function reportLeftovers(stack: Stack): Promise<void> {
  const { parts } = await leftoversOf(stack);
  if (parts.length === 0) return;
  console.error(
    `Not recorded by Pulumi: ${listed(parts)}. Unless a command is creating them, make up STACK=${stack.name} removes them.`,
  );
}

/** Pattern of URNs to exclude from a refresh, which fails while Grafana is down; not its provider. */
const GRAFANA_CONTENT = "**grafana:*/**";

export const refresh = (stack: Stack, clearPendingCreates = false): Promise<unknown> =>
  runOperation(stack, (shown) =>
    stack.refresh({ ...shown, exclude: [GRAFANA_CONTENT], clearPendingCreates }),
  );

interface Leftovers {
  readonly deployment: Deployment;
  readonly parts: readonly Part[];
}

async function leftoversOf(stack: Stack): Promise<Leftovers> {
  const deployment = await readDeployment(stack);
  const parts = await unrecordedParts(stack.name, deployment);
  const isNew = deployment.resources.length === 0;
  // A run that was killed twice can leave unrecorded volumes without a pending operation.
  const foreign = parts.filter(({ kind }) => kind !== "volume" || isNew);
  if (foreign.length > 0 && !deployment.isInterrupted) {
    throw isNew ? foreignStack(stack.name, foreign) : foreignParts(stack.name, foreign);
  }
  return { deployment, parts: parts.filter(({ kind }) => kind !== "volume") };
}

const MAX_LISTED = 8;

function listed(parts: readonly Part[]): string {
  const names = parts.map(({ kind, name }) => `${kind} ${name}`);
  const more = names.length - MAX_LISTED;
  return [...names.slice(0, MAX_LISTED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function foreignStack(stack: string, parts: readonly Part[]): UserError {
  return new UserError(
    `This machine has a stack named ${stack} that Pulumi's backend here does not record: ${listed(parts)}`,
    `set PULUMI_BACKEND_URL to the backend that records it, then retry. For a new stack, run make up STACK=${stack}-2. To delete this one with its data, run make clean STACK=${stack} FOREIGN=1`,
  );
}

const foreignParts = (stack: string, parts: readonly Part[]): UserError =>
  new UserError(
    `The stack ${stack} has containers or networks that Pulumi does not record: ${listed(parts)}`,
    `if nobody uses them, run ${removalCommands(parts)}; then retry`,
  );

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
