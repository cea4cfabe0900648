import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { docker } from "../manage/docker.ts";
import { LABELS } from "../names.ts";
import { publishedPorts } from "../plan/stack.ts";
import type { PublishedPort } from "../spec.ts";
import { type Finding, fail, ok, type Patient } from "./check.ts";

/** Each published port: free, ours already, or whose it is, with offsets at which all are free. */
export async function portFindings({ stack, plan }: Patient): Promise<Finding[]> {
  const ports = publishedPorts(plan);
  const ours = await portsOfContainers(`label=${LABELS.project}=${stack}`);
  const taken: PublishedPort[] = [];
  for (const port of ports) {
    if (!ours.has(port.host) && !(await isFree(port))) taken.push(port);
  }
  if (taken.length === 0) return [ok("ports", ports.map(({ host }) => host).join(", "))];
  const others = await portsOfContainers();
  const offset = await freeOffset(ports);
  return taken.map((port) =>
    fail(
      `port ${port.host}`,
      `${port.setting} is taken by ${others.get(port.host) ?? holder(port.host)}`,
      `end that program, or: make up STACK=${stack} OFFSET=${offset}`,
    ),
  );
}

/** Published ports of running containers → the container's name. */
async function portsOfContainers(filter?: string): Promise<Map<number, string>> {
  const filters = filter ? ["--filter", filter] : [];
  const text = await docker("ps", ...filters, "--format", "{{.Names}}\t{{.Ports}}");
  return new Map(
    text.split("\n").flatMap((line) => {
      const [name = "", ports = ""] = line.split("\t");
      return [...ports.matchAll(/:(\d+)->/g)].map((match): [number, string] => [
        Number(match[1]),
        `container ${name}`,
      ]);
    }),
  );
}

export function isFree({ bind, host }: Pick<PublishedPort, "bind" | "host">): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port: host, host: bind, exclusive: true }, () =>
      server.close(() => resolve(true)),
    );
  });
}

const OFFSETS = Array.from({ length: 40 }, (_, index) => (index + 1) * 1000);
const LAST_PORT = 65_535;

async function freeOffset(ports: readonly PublishedPort[]): Promise<number> {
  for (const offset of OFFSETS) {
    const moved = ports.map(({ bind, host }) => ({ bind, host: host + offset }));
    if (moved.some(({ host }) => host > LAST_PORT)) break;
    if ((await Promise.all(moved.map(isFree))).every((free) => free)) return offset;
  }
  return OFFSETS.at(-1) ?? 0;
}

const LISTENING = "0A";

/** Program that listens on a port, as far as this user may see it. Linux only. */
function holder(port: number): string {
  try {
    const inode = socketOf(port);
    const program = inode ? programOf(inode) : undefined;
    return program ?? "another program";
  } catch {
    return "another program";
  }
}

function socketOf(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === LISTENING) return fields[9];
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
