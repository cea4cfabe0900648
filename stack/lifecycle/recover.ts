import { recordedIdentity } from "../../components/shared/identity.ts";
import { ownedObjects, removeObjects, serviceRows } from "./owned-resources.ts";
import { isPulumiInstalled } from "./pulumi-program.ts";
import {
  changeStack,
  exportState,
  isRecorded,
  openStack,
  type RecordedResource,
  requireStack,
  type Stack,
} from "./workspace.ts";

export interface Deployment {
  readonly resources: readonly RecordedResource[];
  readonly isInterrupted: boolean;
  /** Id on the labels of what this state created; undefined before its first run. */
  readonly identity: string | undefined;
}

export async function readDeployment(stack: Stack): Promise<Deployment> {
  const { resources, pending_operations: pending } = await exportState(stack);
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
  await refresh(stack, before);
  const deployment = await readDeployment(stack);
  const recorded = new Set(deployment.resources.map(({ id }) => id));
  const found = await ownedObjects(deployment.identity, ["container", "network"]);
  await removeObjects(found.filter(({ id }) => !recorded.has(id)));
  return deployment;
}

const FAILURE = {
  message: "Pulumi cannot compare its state with the engine",
  hint: "correct what Pulumi reports, then retry",
};

export const refresh = async (
  stack: Stack,
  deployment: Deployment,
  ...options: readonly string[]
): Promise<void> =>
  changeStack(stack, ["refresh", ...options, ...(await unreadable(deployment))], FAILURE);

/** Returns options without the content of a Grafana that does not answer, which a refresh cannot read. */
export async function unreadable({ resources, identity }: Deployment): Promise<string[]> {
  const content = resources.filter(({ type }) => type?.startsWith("grafana:"));
  if (content.length === 0) return [];
  const rows = await serviceRows(identity, ["{{.Status}}"]);
  const answers = rows.some(
    ([name, status]) => name === "grafana" && status?.includes("(healthy)"),
  );
  return answers ? [] : content.flatMap(({ urn }) => ["--exclude", urn]);
}
