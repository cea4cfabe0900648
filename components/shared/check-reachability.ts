import { UserError } from "../../contract/errors.ts";
import type { BrokerConfig } from "../broker/config.ts";
import type { DatabaseConfig } from "../database/config.ts";
import { isLoopback, settingCommand } from "./names.ts";
import { hostName, type Placement } from "./placement.ts";
import type { ContainerSpec } from "./spec.ts";

/** Checks external addresses. @param containers if empty, loopback is allowed @throws UserError */
export function refuseUnreachable(
  { broker, database }: { readonly broker: BrokerConfig; readonly database: DatabaseConfig },
  containers: readonly ContainerSpec[],
): void {
  // The service `ingest` reads the broker from inside the stack's network.
  const reads = database.ingest === "kafka-engine";
  if (reads && broker.mode === "container" && database.mode === "external") throw brokerInside();
  if (containers.length === 0) return;
  if (broker.mode === "external" && broker.bootstrap.split(",").map(hostOf).some(isLoopback)) {
    throw loopback("broker.bootstrap", broker.bootstrap, "broker.hostBootstrap");
  }
  if (database.mode === "external" && isLoopback(new URL(database.url).hostname)) {
    throw loopback("database.url", database.url, "database.hostUrl");
  }
}

const hostOf = (address: string): string => address.split(":")[0] ?? "";

const brokerInside = (): UserError =>
  new UserError(
    "database.mode=external with broker.mode=container: an external database cannot reach a broker on the stack's internal network",
    `use an external broker, too: run ${settingCommand("broker.mode", "external")} and ${settingCommand("broker.bootstrap", "<host>:<port>")}`,
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
export interface RemoteSettings {
  readonly message: string;
  readonly bind: string;
  readonly host: string;
}

/** Returns the settings that a remote engine needs; undefined if nothing is missing. */
export function remoteSettings(
  { connection: { host }, source }: Engine,
  { network }: Pick<Placement, "network">,
): RemoteSettings | undefined {
  if (isLocalEngine(host) || !isLoopback(hostName({ network }))) return undefined;
  return {
    message: `network.host is ${network.host ?? "not set"}, but the Docker engine runs on another host, ${host} (${source}). Allowed: a name or address by which this machine and the containers reach that host`,
    bind: isLoopback(network.bind) ? "0.0.0.0" : network.bind,
    host: (URL.canParse(host) && new URL(host).hostname) || "<name of that host>",
  };
}

/** Checks that this machine reaches the engine's ports. @throws UserError */
export function refuseRemoteLoopback(engine: Engine, at: Pick<Placement, "network">): void {
  const needed = remoteSettings(engine, at);
  if (!needed) return;
  const { message, bind, host } = needed;
  throw new UserError(
    message,
    `run ${settingCommand("network.bind", bind)} and ${settingCommand("network.host", host)}`,
  );
}
