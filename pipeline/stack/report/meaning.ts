import {
  dataLossOf,
  isIrreplaceable,
  nameOf,
  type Preview,
  physicalName,
  type Step,
  typeOf,
} from "../preview.ts";
import { NOTHING } from "../shell.ts";
import type { Change } from "./changes.ts";

/** What a plan does to the running stack, in an operator's terms. */
export interface Meaning {
  readonly restarted: readonly string[];
  readonly stopped: readonly string[];
  /** Irreplaceable volumes that would go. */
  readonly volumesAtRisk: readonly string[];
  /** Logs, series and the like that would go. */
  readonly disposableVolumes: readonly string[];
  readonly portsBefore: readonly string[];
  readonly portsAfter: readonly string[];
  readonly memoryBefore: number;
  readonly memoryAfter: number;
  readonly commands: readonly string[];
}

const CONTAINER = "docker:index/container:Container";
const COMMAND = "command:local:Command";

interface ContainerInputs {
  readonly start?: boolean;
  readonly memory?: number;
  readonly ports?: readonly { readonly external: number; readonly protocol?: string }[];
}

type Side = "oldState" | "newState";

const inputsOf = (step: Step, side: Side): ContainerInputs | undefined =>
  step[side]?.inputs as ContainerInputs | undefined;

/** Loaders of configuration are never started: nothing restarts with them. */
const isService = (step: Step): boolean =>
  typeOf(step) === CONTAINER &&
  (inputsOf(step, "newState") ?? inputsOf(step, "oldState"))?.start !== false;

/** Services that a plan knows, by the names of their containers without `-service`. */
export const servicesOf = (steps: readonly Step[]): string[] =>
  steps
    .filter((step) => isService(step) && step.op !== "delete")
    .map((step) => nameOf(step).replace(/-service$/, ""));

const isDisposable = (step: Step): boolean => dataLossOf(step) === "disposable";

const runs = (step: Step): boolean => typeOf(step) === COMMAND;

/** Those that wait for a first change do nothing when they are made. */
const runsAtFirst = (step: Step): boolean =>
  runs(step) && step.newState?.inputs?.create !== NOTHING;

/** Steps that stand for a resource as it is before or after, each resource once. */
function services(preview: Preview, side: Side): ContainerInputs[] {
  const byUrn = new Map<string, ContainerInputs>();
  for (const step of preview.steps.filter(isService)) {
    const inputs = inputsOf(step, side);
    if (inputs) byUrn.set(step.urn, inputs);
  }
  return [...byUrn.values()];
}

const ports = (list: readonly ContainerInputs[]): string[] =>
  list
    .flatMap((one) => one.ports ?? [])
    .map(
      ({ external, protocol = "tcp" }) => `${external}${protocol === "tcp" ? "" : `/${protocol}`}`,
    )
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));

const memory = (list: readonly ContainerInputs[]): number =>
  list.reduce((sum, one) => sum + (one.memory ?? 0), 0);

export function meaningOf(preview: Preview, changes: readonly Change[]): Meaning {
  const before = services(preview, "oldState");
  const after = services(preview, "newState");
  const named = (kinds: readonly string[], test: (step: Step) => boolean, name = nameOf) =>
    changes
      .filter(({ kind, step }) => kinds.includes(kind) && test(step))
      .map(({ step }) => name(step));
  return {
    restarted: named(["replaced"], isService),
    stopped: named(["deleted"], isService),
    volumesAtRisk: named(["replaced", "deleted"], isIrreplaceable, physicalName),
    disposableVolumes: named(["replaced", "deleted"], isDisposable, physicalName),
    portsBefore: ports(before),
    portsAfter: ports(after),
    memoryBefore: memory(before),
    memoryAfter: memory(after),
    commands: [...named(["added"], runsAtFirst), ...named(["changed", "replaced"], runs)],
  };
}
