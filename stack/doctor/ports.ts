import { createSocket } from "node:dgram";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import type { NetworkConfig } from "../../components/network/config.ts";
import { dockerEngine } from "../../components/resources/engine-host.ts";
import { publishedPorts } from "../../components/services.ts";
import { isLocalEngine, remoteSettings } from "../../components/shared/check-reachability.ts";
import { LABELS } from "../../components/shared/names.ts";
import type { PublishedPort } from "../../components/shared/spec.ts";
import { dockerRows } from "../../terminal/docker.ts";
import { settingHint, withOptions } from "../make-hints.ts";
import { type DoctorContext, type Finding, fail, ok } from "./check.ts";

export async function portFindings({ stack, plan, network }: DoctorContext): Promise<Finding[]> {
  const ports = publishedPorts(plan);
  if (!isLocalEngine(dockerEngine().connection.host)) return [remoteFinding(stack, network, ports)];
  const ours = await portsOfContainers(`label=${LABELS.project}=${stack}`);
  const states = new Map<PublishedPort, PortState>();
  for (const port of ports) states.set(port, ours.has(port.host) ? "free" : await stateOf(port));
  const those = (state: PortState) => ports.filter((port) => states.get(port) === state);
  const [nowhere] = those("nowhere");
  if (nowhere) return [noAddress(stack, nowhere)];
  const taken = those("taken");
  return taken.length === 0
    ? [ok("ports", ports.map(({ host }) => host).join(", "))]
    : takenFindings(taken, ports, { stack, network });
}

function remoteFinding(
  stack: string,
  network: NetworkConfig,
  ports: readonly PublishedPort[],
): Finding {
  const engine = dockerEngine();
  const needed = ports.length > 0 ? remoteSettings(engine, { network }) : undefined;
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
  { stack, network }: Pick<DoctorContext, "stack" | "network">,
): Promise<Finding[]> {
  const others = await portsOfContainers();
  const offset = await freeOffset(ports, network.portOffset);
  const elsewhere =
    offset === undefined
      ? "free a block of ports"
      : `run make up STACK=${stack} OFFSET=${offset}${withOptions(stack)}`;
  return taken.map((port) =>
    fail(
      `port ${port.host}`,
      `${port.setting} is taken by ${others.get(port.host) ?? holderOf(port)}`,
      `stop that program, or ${elsewhere}`,
    ),
  );
}

const noAddress = (stack: string, { bind }: PublishedPort): Finding =>
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

type Port = Pick<PublishedPort, "bind" | "host" | "protocol">;

/** State of a port; `nowhere` if this machine does not have the address. */
type PortState = "free" | "taken" | "nowhere";

export const stateOf = (port: Port): Promise<PortState> =>
  port.protocol === "udp" ? stateOfUdp(port) : stateOfTcp(port);

/** Returns the state for a listen error; others count as free: the engine may open ports below 1024. */
export function stateAfter({ code }: NodeJS.ErrnoException): PortState {
  if (code === "EADDRINUSE") return "taken";
  return code === "EADDRNOTAVAIL" ? "nowhere" : "free";
}

function stateOfUdp({ bind, host }: Port): Promise<PortState> {
  return new Promise((resolve) => {
    const socket = createSocket(bind.includes(":") ? "udp6" : "udp4");
    socket.once("error", (error) => socket.close(() => resolve(stateAfter(error))));
    socket.bind({ port: host, address: bind, exclusive: true }, () =>
      socket.close(() => resolve("free")),
    );
  });
}

function stateOfTcp({ bind, host }: Port): Promise<PortState> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(stateAfter(error)));
    server.listen({ port: host, host: bind, exclusive: true }, () =>
      server.close(() => resolve("free")),
    );
  });
}

const OFFSETS = Array.from({ length: 40 }, (_, index) => (index + 1) * 1000);
const LAST_PORT = 65_535;

/** Returns a free port offset; undefined if there is none. */
export async function freeOffset(
  ports: readonly Port[],
  present: number,
): Promise<number | undefined> {
  for (const offset of OFFSETS.filter((one) => one !== present)) {
    const moved = ports.map((port) => ({ ...port, host: port.host - present + offset }));
    if (moved.some(({ host }) => host > LAST_PORT)) break;
    if ((await Promise.all(moved.map(stateOf))).every((state) => state === "free")) return offset;
  }
  return undefined;
}

const TABLES = {
  tcp: { files: ["/proc/net/tcp", "/proc/net/tcp6"], state: "0A" },
  udp: { files: ["/proc/net/udp", "/proc/net/udp6"], state: "07" },
} as const;

/** Name of the program that listens on a port, if this user may see it; Linux only. */
export function holderOf({ host, protocol }: Pick<Port, "host" | "protocol">): string {
  try {
    const inode = socketOf(host, protocol);
    const program = inode ? programOf(inode) : undefined;
    return program ?? "another program";
  } catch {
    return "another program";
  }
}

function socketOf(port: number, protocol: Port["protocol"]): string | undefined {
  const { files, state } = TABLES[protocol];
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  for (const table of files) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === state) return fields[9];
    }
  }
  return undefined;
}

function programOf(inode: string): string | undefined {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const owner = processes.find((pid) => holds(pid, `socket:[${inode}]`));
  if (owner === undefined) return undefined;
  const name = readFileSync(`/proc/${owner}/comm`, "utf8").trim();
  return `${name} (process ${owner})`;
}

function holds(pid: string, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === socket,
    );
  } catch {
    return false;
  }
}
