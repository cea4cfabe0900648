import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { type PublishedPort, publishedPorts, type StackConfig } from "../../components/config.ts";
import { freeOffset } from "../../components/config-rules.ts";
import { dockerEndpoint } from "../../components/shared/engine.ts";
import { isLocalEngine } from "../../components/shared/reachability.ts";
import { dockerRows, runDocker } from "../../terminal/docker.ts";
import { ownedObjects } from "../lifecycle/owned-resources.ts";
import { identityOf } from "../lifecycle/recover.ts";
import { hasFile } from "../lifecycle/stack-file.ts";
import { type Finding, fail, ok } from "./check.ts";

/** Checks that the stack's ports are free or its own. */
export async function portFindings(stack: string, config: StackConfig): Promise<Finding[]> {
  const { network } = config;
  const { host } = dockerEndpoint();
  if (!isLocalEngine(host)) {
    return [ok("ports", `not checked: the engine runs on another host, ${host}`)];
  }
  const ports = publishedPorts(config);
  const busy: PublishedPort[] = [];
  for (const one of ports) if (!(await isFree(network.bind, one))) busy.push(one);
  const ours = busy.length > 0 ? await boundPorts(stack) : new Set<number>();
  const taken = busy.filter(({ port }) => !ours.has(port));
  return taken.length === 0
    ? [ok("ports", ports.map(({ port }) => port).join(", "))]
    : takenFindings(taken, stack, freeOffset(config));
}

async function takenFindings(
  taken: readonly PublishedPort[],
  stack: string,
  offset: number,
): Promise<Finding[]> {
  const others = await portsOfContainers();
  // A refused make up has not written its options.
  const options = hasFile(stack) ? "" : " with your other options";
  return taken.map(({ port, setting }) =>
    fail(
      `port ${port}`,
      `${setting} is taken by ${others.get(port) ?? "another program"}`,
      `stop that program, or run make up STACK=${stack} OFFSET=${offset}, or another number${options}`,
    ),
  );
}

/** Returns the ports of the stack's containers, which a list omits while a container restarts. */
async function boundPorts(stack: string): Promise<Set<number>> {
  const owned = await ownedObjects(await identityOf(stack), ["container"]);
  if (owned.length === 0) return new Set();
  const format = "{{json .HostConfig.PortBindings}}";
  const text = await runDocker("inspect", "--format", format, ...owned.map(({ id }) => id));
  return new Set([...text.matchAll(/"HostPort":"(\d+)"/g)].map(([, port]) => Number(port)));
}

async function portsOfContainers(): Promise<Map<number, string>> {
  const rows = await dockerRows("ps", "--format", "{{.Names}}\t{{.Ports}}");
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

/** Tries a port. All other errors count as free: the engine may open ports below 1024. */
export function isFree(bind: string, { port, protocol }: Port): Promise<boolean> {
  return new Promise((resolve) => {
    const fails = ({ code }: NodeJS.ErrnoException) => resolve(code !== "EADDRINUSE");
    if (protocol === "udp") {
      const socket = createSocket(bind.includes(":") ? "udp6" : "udp4");
      const options = { port, address: bind, exclusive: true };
      socket.once("error", (error) => socket.close(() => fails(error)));
      socket.bind(options, () => socket.close(() => resolve(true)));
    } else {
      const server = createServer().once("error", fails);
      const options = { port, host: bind, exclusive: true };
      server.listen(options, () => server.close(() => resolve(true)));
    }
  });
}
