import { UserError } from "../../contract/errors.ts";
import type { DockerEndpoint } from "./engine.ts";
import { type Addresses, hostOf, isLoopback, settingCommand } from "./names.ts";

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
  { connection: { host }, source }: DockerEndpoint,
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
export function refuseRemoteLoopback(engine: DockerEndpoint, network: Addresses): void {
  const needed = remoteSettings(engine, network);
  if (!needed) return;
  const { message, bind, host } = needed;
  throw new UserError(
    message,
    `run ${settingCommand("network.bind", bind)} and ${settingCommand("network.host", host)}`,
  );
}
