import { UserError } from "../../../contract/errors.ts";
import { LABELS, stackNames } from "../names.ts";
import { readOwner } from "../state.ts";
import { type Owned, type OwnedKind, owned } from "./docker.ts";
import type { Deployment, Recorded } from "./recorded.ts";
import { wasCutOff } from "./under-way.ts";

/** What a start makes. */
export const PARTS = ["container", "network", "volume"] as const satisfies readonly OwnedKind[];
export type Part = (typeof PARTS)[number];

interface Found extends Owned {
  readonly kind: Part;
}

/** Of one kind, what the engine holds of a stack and nothing recorded explains. */
async function unrecordedOf(
  kind: Part,
  stack: string,
  recorded: readonly Recorded[],
): Promise<Found[]> {
  const ids = new Set(recorded.map(({ id }) => id));
  const parts = await owned(kind, stack);
  return parts.filter(({ id }) => !ids.has(id)).map((part) => ({ ...part, kind }));
}

/**
 * Containers and networks that a run of this checkout has made, was cut off and has not recorded.
 * Volumes of such a run are taken up by the next start.
 * @param kinds that the caller would touch
 * @throws UserError where somebody else made something of a stack of this name
 */
export async function unrecorded(
  stack: string,
  deployment: Deployment,
  kinds: readonly Part[] = PARTS,
): Promise<Unrecorded> {
  const { resources = [], pending_operations: pending = [] } = deployment;
  const parts = await Promise.all(kinds.map((kind) => unrecordedOf(kind, stack, resources)));
  const found = parts.flat();
  const foreign = found.filter(({ owner }) => owner !== readOwner());
  if (foreign.length > 0) throw foreignStack(stack, foreign);
  const containers = found.filter(({ kind }) => kind === "container");
  const isOurs = wasCutOff(stack) || pending.length > 0;
  if (containers.length > 0 && !isOurs) throw unclaimed(stack, containers);
  // A stack of an earlier version has a network of another name, which Pulumi itself removes.
  const isNetwork = ({ kind, name }: Found) =>
    kind === "network" && name === stackNames(stack).network;
  const networks = isOurs ? found.filter(isNetwork) : [];
  return { containers, networks };
}

export interface Unrecorded {
  readonly containers: readonly Owned[];
  readonly networks: readonly Owned[];
}

function foreignStack(stack: string, foreign: readonly Found[]): UserError {
  const makers = [...new Set(foreign.map(({ owner }) => makerOf(owner)))].join(" and ");
  const parts = listed(foreign.map(({ kind, name }) => `${kind} ${name}`));
  const hasData = foreign.some(({ kind }) => kind === "volume");
  const found = hasData
    ? "if that was this one, before its .state/ was lost, put that back; else "
    : "";
  return new UserError(
    `A stack named ${stack} that this checkout does not know is on this machine (${parts}), made by ${makers}.`,
    `${found}choose another name: make up STACK=${stack}-2; or remove that one${hasData ? " with its data" : ""}: make clean STACK=${stack} FOREIGN=1`,
  );
}

/** The mark of what was made without this project's own folder of state. */
export const isPlain = (owner: string): boolean => owner === "" || owner === "pulumi";

/** Who has made something, as far as its label tells. */
export const makerOf = (owner: string): string =>
  isPlain(owner) ? "plain pulumi" : `the checkout whose .state/owner holds ${owner}`;

const MOST_LISTED = 8;

/** Data first: of all that stands there they alone cannot be made again. */
function listed(parts: readonly string[]): string {
  const isData = (part: string): number => Number(part.endsWith("-data"));
  const sorted = [...parts].sort((a, b) => isData(b) - isData(a));
  const more = sorted.length - MOST_LISTED;
  return [...sorted.slice(0, MOST_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** No run of ours was cut off: they may be the whole life of a stack that is recorded elsewhere. */
function unclaimed(stack: string, containers: readonly Owned[]): UserError {
  const all = `docker ps --all --quiet --filter label=${LABELS.project}=${stack}`;
  return new UserError(
    `Containers of the stack ${stack} that this checkout made are in no record of make up (${listed(containers.map(({ name }) => name))}): plain pulumi made them with a backend of its own, or the record was lost. Nothing was removed.`,
    `pulumi destroy with the backend that records them; or, where there is none, docker rm --force --volumes $(${all}); then the same command`,
  );
}
