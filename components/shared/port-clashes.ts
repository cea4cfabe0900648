import { UserError } from "../../contract/errors.ts";
import { settingCommand } from "./names.ts";
import type { PublishedPort } from "./spec.ts";

/** Checks published ports. @throws UserError if two services share a port, or one is out of range */
export function refuseClashes(ports: readonly PublishedPort[]): void {
  const owners = new Map<string, string>();
  for (const { setting, host, protocol } of ports) {
    if (host > 65_535) throw beyondRange(setting, host);
    const key = `${host}/${protocol}`;
    const other = owners.get(key);
    if (other) throw clash(other, setting, key);
    owners.set(key, setting);
  }
}

const beyondRange = (setting: string, host: number): UserError =>
  new UserError(
    `${setting} plus network.portOffset is ${host}; allowed are ports up to 65535`,
    settingCommand("network.portOffset", "0"),
  );

const clash = (first: string, second: string, port: string): UserError =>
  new UserError(
    `${first} and ${second} both publish port ${port}; each service needs its own`,
    `run ${settingCommand(second, "<free port>")}`,
  );
