import { CONFIG_BLOCKS, parseStackConfig } from "../../components/config.ts";
import { planStack, publishedPorts } from "../../components/services.ts";
import { stackNames } from "../../components/shared/names.ts";
import { code, tableText } from "./table.ts";

/** Ports of a stack with the defaults. */
function portTable(): string {
  const config = parseStackConfig({});
  const context = { names: stackNames("dev"), config, configured: new Set<never>(), overrides: {} };
  const ports = publishedPorts(planStack(context)).sort((a, b) => a.host - b.host);
  return tableText({
    head: ["port", "setting", "meaning"],
    rows: ports.map(({ host, protocol, setting }) => [
      protocol === "udp" ? `${host}/udp` : String(host),
      code(setting),
      meaningOf(setting),
    ]),
  });
}

function meaningOf(setting: string): string {
  const [block = "", key = ""] = setting.split(".");
  const fields = (CONFIG_BLOCKS[block] ?? []).map(({ shape }) => shape[key]);
  return fields.find((field) => field?.description)?.description ?? "";
}

export const portsPage = (): string =>
  [
    "# Ports",
    "The ports of a stack with the defaults. `network.portOffset` moves all of them (`make up OFFSET=1000`); `make urls` prints the addresses of a running stack.",
    portTable(),
    "All listen on 127.0.0.1 unless `network.bind` names another address. Kafka advertises that address, or `network.host`, the name by which clients reach this machine. `network.bind: 0.0.0.0` requires it, and so does a Docker engine on another host.",
  ].join("\n\n");
