import { UserError } from "../../contract/errors.ts";
import { hostOf, isLoopback, settingCommand } from "./names.ts";

interface Servers {
  readonly kafka:
    | { readonly mode: "container" }
    | { readonly mode: "external"; readonly bootstrap: string };
  readonly clickhouse: { readonly ingest: string } & (
    | { readonly mode: "container" }
    | { readonly mode: "external"; readonly url: string }
  );
}

interface Addresses {
  readonly bind: string;
  readonly host?: string | undefined;
}

/** Checks external addresses, which containers must reach, too. @throws UserError */
export function refuseUnreachable(config: Servers): void {
  const { kafka, clickhouse } = config;
  // The service `ingest` reads Kafka from inside the stack's network.
  const reads = clickhouse.ingest === "kafka-engine";
  if (reads && kafka.mode === "container" && clickhouse.mode === "external") throw kafkaInside();
  if (!hasContainers(config)) return;
  if (kafka.mode === "external" && kafka.bootstrap.split(",").map(nameOf).some(isLoopback)) {
    throw loopback("kafka.bootstrap", kafka.bootstrap, "kafka.hostBootstrap");
  }
  if (clickhouse.mode === "external" && isLoopback(new URL(clickhouse.url).hostname)) {
    throw loopback("clickhouse.url", clickhouse.url, "clickhouse.hostUrl");
  }
}

const hasContainers = (config: Servers): boolean =>
  Object.values(config).some(
    (one) => one !== null && typeof one === "object" && "memoryMiB" in one,
  );

const nameOf = (address: string): string => address.split(":")[0] ?? "";

const kafkaInside = (): UserError =>
  new UserError(
    "clickhouse.mode=external with kafka.mode=container: an external ClickHouse cannot reach a Kafka on the stack's internal network",
    `use an external Kafka, too: run ${settingCommand("kafka.mode", "external")} and ${settingCommand("kafka.bootstrap", "<host>:<port>")}`,
  );

const loopback = (setting: string, value: string, ofMachine: string): UserError =>
  new UserError(
    `${setting}=${value}: a container cannot reach this machine by a loopback address. ${ofMachine} may have it, for commands on this machine.`,
    `run ${settingCommand(ofMachine, value)} and ${settingCommand(setting, "<address for containers>")}`,
  );

interface Engine {
  readonly connection: { readonly host: string };
  readonly source: string;
}

export const isLocalEngine = (host: string): boolean =>
  /^(unix|npipe):|^(tcp|https?):\/\/(localhost|127\.|\[::1\])/.test(host);

/** Settings with which this machine reaches the ports of a remote engine, and why they are needed. */
interface RemoteSettings {
  readonly message: string;
  readonly bind: string;
  readonly host: string;
}

/** Returns the settings that a remote engine needs; undefined if nothing is missing. */
function remoteSettings(
  { connection: { host }, source }: Engine,
  network: Addresses,
): RemoteSettings | undefined {
  if (isLocalEngine(host) || !isLoopback(hostOf(network))) return undefined;
  return {
    message: `network.host is ${network.host ?? "not set"}, but the Docker engine runs on another host, ${host} (${source}). Allowed: a name or address by which this machine and the containers reach that host`,
    bind: isLoopback(network.bind) ? "0.0.0.0" : network.bind,
    host: (URL.canParse(host) && new URL(host).hostname) || "<name of that host>",
  };
}

/** Checks that this machine reaches the engine's ports. @throws UserError */
export function refuseRemoteLoopback(engine: Engine, network: Addresses): void {
  const needed = remoteSettings(engine, network);
  if (!needed) return;
  const { message, bind, host } = needed;
  throw new UserError(
    message,
    `run ${settingCommand("network.bind", bind)} and ${settingCommand("network.host", host)}`,
  );
}
