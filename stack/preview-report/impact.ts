import { isEncryptionKey } from "../../components/shared/encryption-keys.ts";
import { NO_OP_COMMAND } from "../../components/shared/shell.ts";
import { lossOf } from "../preview.ts";
import { type Change, CONTAINER, type Inputs, type Kind } from "./changes.ts";

export interface Impact {
  readonly restarted: readonly string[];
  readonly removed: readonly string[];
  readonly volumesAtRisk: readonly string[];
  readonly disposableVolumes: readonly string[];
  /** Names of encryption keys, without which stored data cannot be read. */
  readonly keysAtRisk: readonly string[];
  readonly portsBefore: readonly string[];
  readonly portsAfter: readonly string[];
  /** Sum of the limits, MiB. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
  readonly commands: readonly string[];
}

const COMMAND = "command:local:Command";

interface ContainerInputs {
  readonly start?: boolean;
  readonly memory?: number;
  readonly ports?: readonly { readonly external: number; readonly protocol?: string }[];
}

/** True for the container of a service; loaders of configuration never start. */
const isService = ({ type, before, after }: Change): boolean =>
  type === CONTAINER && ((after ?? before) as ContainerInputs | undefined)?.start !== false;

const serviceName = ({ name }: Change): string => name.replace(/-service$/, "");

const engineName = ({ name, before, after }: Change): string =>
  String((after ?? before)?.name ?? name);

const isCommand = ({ type }: Change): boolean => type === COMMAND;

/** True if the command runs; some do nothing when they are created, others when updated. */
function runs({ kind, after = {} }: Change): boolean {
  if (kind === "changed") return (after.update ?? after.create) !== NO_OP_COMMAND;
  return (kind === "added" || kind === "replaced") && after.create !== NO_OP_COMMAND;
}

const ports = (containers: readonly ContainerInputs[]): string[] =>
  containers
    .flatMap((one) => one.ports ?? [])
    .map(
      ({ external, protocol = "tcp" }) => `${external}${protocol === "tcp" ? "" : `/${protocol}`}`,
    )
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));

const memory = (containers: readonly ContainerInputs[]): number =>
  containers.reduce((sum, one) => sum + (one.memory ?? 0), 0);

/** Returns the impact of changes. @param changes all resources, because ports and memory are sums */
export function impactOf(changes: readonly Change[]): Impact {
  const services = changes.filter(isService);
  const side = (inputs: (change: Change) => Inputs | undefined) =>
    services.map(inputs).filter((one) => one !== undefined) as ContainerInputs[];
  const [before, after] = [side((one) => one.before), side((one) => one.after)];
  const of = (...kinds: readonly Kind[]) => changes.filter(({ kind }) => kinds.includes(kind));
  const lost = of("replaced", "deleted");
  return {
    restarted: of("replaced").filter(isService).map(serviceName),
    removed: of("deleted").filter(isService).map(serviceName),
    volumesAtRisk: lost.filter((one) => lossOf(one) === "irreplaceable").map(engineName),
    disposableVolumes: lost.filter((one) => lossOf(one) === "disposable").map(engineName),
    keysAtRisk: lost.map(({ name }) => name).filter(isEncryptionKey),
    portsBefore: ports(before),
    portsAfter: ports(after),
    memoryBefore: memory(before),
    memoryAfter: memory(after),
    commands: changes.filter((one) => isCommand(one) && runs(one)).map(({ name }) => name),
  };
}
