import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { type NetworkConfig, type PublishedPort, publishedPorts } from "../../components/config.ts";
import { dockerEngine } from "../../components/shared/engine.ts";
import { LABELS } from "../../components/shared/names.ts";
import { isLocalEngine, remoteSettings } from "../../components/shared/reachability.ts";
import { dockerRows } from "../../terminal/docker.ts";
import { settingHint, withOptions } from "../make-hints.ts";
import { type DoctorContext, type Finding, fail, ok } from "./check.ts";

export async function portFindings({ stack, config }: DoctorContext): Promise<Finding[]> {
  const { network } = config;
  const ports = publishedPorts(config);
  if (!isLocalEngine(dockerEngine().connection.host)) return [remoteFinding(stack, network, ports)];
  const ours = await portsOfContainers(`label=${LABELS.stack}=${stack}`);
  const states = new Map<PublishedPort, PortState>();
  for (const one of ports) {
    states.set(one, ours.has(one.port) ? "free" : await stateOf(network.bind, one));
  }
  const those = (state: PortState) => ports.filter((port) => states.get(port) === state);
  const [nowhere] = those("nowhere");
  if (nowhere) return [noAddress(stack, network)];
  const taken = those("taken");
  return taken.length === 0
    ? [ok("ports", ports.map(({ port }) => port).join(", "))]
    : takenFindings(taken, ports, stack, network);
}

function remoteFinding(
  stack: string,
  network: NetworkConfig,
  ports: readonly PublishedPort[],
): Finding {
  const engine = dockerEngine();
  const needed = ports.length > 0 ? remoteSettings(engine, network) : undefined;
  if (!needed) {
    return ok("ports", `not checked: the engine runs on another host, ${engine.connection.host}`);
  }
  const { message, bind, host } = needed;
  return fail(
    "network",
    message,
    settingHint(stack, "network.bind", `${bind} and network.host to ${host}`),
  );
}

async function takenFindings(
  taken: readonly PublishedPort[],
  ports: readonly PublishedPort[],
  stack: string,
  network: NetworkConfig,
): Promise<Finding[]> {
  const others = await portsOfContainers();
  const offset = await freeOffset(ports, network);
  const elsewhere =
    offset === undefined
      ? "free a block of ports"
      : `run make up STACK=${stack} OFFSET=${offset}${withOptions(stack)}`;
  return taken.map(({ port, setting }) =>
    fail(
      `port ${port}`,
      `${setting} is taken by ${others.get(port) ?? "another program"}`,
      `stop that program, or ${elsewhere}`,
    ),
  );
}

const noAddress = (stack: string, { bind }: NetworkConfig): Finding =>
  fail(
    "network",
    `network.bind is ${bind}, an address that this machine does not have`,
    settingHint(
      stack,
      "network.bind",
      "127.0.0.1, an address of this machine, or 0.0.0.0 with network.host",
    ),
  );

async function portsOfContainers(filter?: string): Promise<Map<number, string>> {
  const filters = filter ? ["--filter", filter] : [];
  const rows = await dockerRows("ps", ...filters, "--format", "{{.Names}}\t{{.Ports}}");
  return new Map(
    rows.flatMap(([name = "", ports = ""]) =>
      [...ports.matchAll(/:(\d+)->/g)].map((match): [number, string] => [
        Number(match[1]),
        `container ${name}`,
      ]),
    ),
  );
}

type Port = Pick<PublishedPort, "port" | "protocol">;

/** State of a port; `nowhere` if this machine does not have the address. */
type PortState = "free" | "taken" | "nowhere";

export const stateOf = (bind: string, { port, protocol }: Port): Promise<PortState> =>
  protocol === "udp" ? stateOfUdp(bind, port) : stateOfTcp(bind, port);

/** Returns the state for a listen error; others count as free: the engine may open ports below 1024. */
export function stateAfter({ code }: NodeJS.ErrnoException): PortState {
  if (code === "EADDRINUSE") return "taken";
  return code === "EADDRNOTAVAIL" ? "nowhere" : "free";
}

function stateOfUdp(bind: string, port: number): Promise<PortState> {
  return new Promise((resolve) => {
    const socket = createSocket(bind.includes(":") ? "udp6" : "udp4");
    socket.once("error", (error) => socket.close(() => resolve(stateAfter(error))));
    socket.bind({ port, address: bind, exclusive: true }, () =>
      socket.close(() => resolve("free")),
    );
  });
}

function stateOfTcp(bind: string, port: number): Promise<PortState> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(stateAfter(error)));
    server.listen({ port, host: bind, exclusive: true }, () => server.close(() => resolve("free")));
  });
}

const OFFSETS = Array.from({ length: 40 }, (_, index) => (index + 1) * 1000);
const LAST_PORT = 65_535;

/** Returns a free port offset; undefined if there is none. */
export async function freeOffset(
  ports: readonly Port[],
  { bind, portOffset: present }: Pick<NetworkConfig, "bind" | "portOffset">,
): Promise<number | undefined> {
  for (const offset of OFFSETS.filter((one) => one !== present)) {
    const moved = ports.map((one) => ({ ...one, port: one.port - present + offset }));
    if (moved.some(({ port }) => port > LAST_PORT)) break;
    const states = await Promise.all(moved.map((port) => stateOf(bind, port)));
    if (states.every((state) => state === "free")) return offset;
  }
  return undefined;
}
