import { settings } from "./configuration.ts";
import { code, tableText } from "./table.ts";

/** Ports with the defaults, in order. */
function portTable(): string {
  const ports = settings
    .filter(({ kind }) => kind === "port")
    .toSorted((a, b) => Number(a.fallback) - Number(b.fallback));
  return tableText({
    head: ["port", "setting", "of"],
    rows: ports.map(({ name, fallback, meaning }) => [
      String(fallback),
      code(name),
      meaning.replaceAll(/^Port of |,?( on this machine)$/g, ""),
    ]),
  });
}

export const portsPage = (): string =>
  [
    "# Ports",
    "The ports of a stack with the defaults. `network.portOffset` moves all of them (`make up OFFSET=1000`); `make urls` prints the addresses of a running stack.",
    portTable(),
    "All listen on 127.0.0.1 unless `network.bind` names another address. Kafka advertises that address, or `network.host`, the name by which clients reach this machine. `network.bind: 0.0.0.0` requires it, and so does a Docker engine on another host.",
  ].join("\n\n");
