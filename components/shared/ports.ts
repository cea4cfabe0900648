import { UserError } from "../../contract/errors.ts";
import { settingCommand } from "./names.ts";

/** Port of this machine, with the setting that moves it. */
export interface PublishedPort {
  readonly setting: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
}

/** The settings of services by block, of which `kafka` and `network` have a meaning here. */
interface Services {
  readonly network: { readonly portOffset: number };
  readonly kafka:
    | { readonly mode: "container"; readonly nodes: number }
    | { readonly mode: "external" };
}

const UDP = "statsdExporter.statsdPort";

/** Returns the ports that a stack publishes: every setting `port` or `…Port`, plus the offset. */
export function publishedPorts(config: Services): PublishedPort[] {
  const { portOffset } = config.network;
  const nodes = config.kafka.mode === "container" ? config.kafka.nodes : 0;
  return Object.entries(config).flatMap(([service, settings]) =>
    Object.entries(settings ?? {})
      .filter(([key, value]) => /^port$|Port$/.test(key) && typeof value === "number")
      .flatMap(([key, value]) => {
        const setting = `${service}.${key}`;
        const protocol = setting === UDP ? ("udp" as const) : ("tcp" as const);
        const count = service === "kafka" ? nodes : 1;
        return Array.from({ length: count }, (_, node) => ({
          setting,
          port: Number(value) + node + portOffset,
          protocol,
        }));
      }),
  );
}

/** Checks the published ports. @throws UserError if two are equal, or one is out of range */
export function refuseClashes(config: Services): void {
  const owners = new Map<string, string>();
  for (const { setting, port, protocol } of publishedPorts(config)) {
    if (port > 65_535) throw beyondRange(setting, port);
    const key = `${port}/${protocol}`;
    const other = owners.get(key);
    if (other) throw clash(other, setting, key);
    owners.set(key, setting);
  }
}

const beyondRange = (setting: string, port: number): UserError =>
  new UserError(
    `${setting} plus network.portOffset is ${port}; allowed are ports up to 65535`,
    settingCommand("network.portOffset", "0"),
  );

const clash = (first: string, second: string, port: string): UserError =>
  new UserError(
    `${first} and ${second} both publish port ${port}; each service needs its own`,
    `run ${settingCommand(second, "<free port>")}`,
  );
