import { UserError } from "../../contract/errors.ts";
import type { DockerEndpoint } from "./engine.ts";
import { type Addresses, hostOf, isLoopback, settingCommand } from "./names.ts";

export const isLocalEngine = (host: string): boolean =>
  /^(unix|npipe):|^(tcp|https?):\/\/(localhost|127\.|\[::1\])/.test(host);

/** Checks that this machine reaches the engine's ports. @throws UserError */
export function refuseRemoteLoopback({ host }: DockerEndpoint, network: Addresses): void {
  if (isLocalEngine(host) || !isLoopback(hostOf(network))) return;
  const bind = isLoopback(network.bind) ? "0.0.0.0" : network.bind;
  const address = (URL.canParse(host) && new URL(host).hostname) || "<name of that host>";
  throw new UserError(
    `network.host is ${network.host ?? "not set"}, but the Docker engine runs on another host, ${host}. Allowed: a name or address by which this machine and the containers reach that host`,
    `run ${settingCommand("network.bind", bind)} and ${settingCommand("network.host", address)}`,
  );
}
