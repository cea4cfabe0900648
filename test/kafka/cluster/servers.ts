import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { brokerClasspath, ZOOKEEPER_POM } from "../classpath.ts";
import { kill9 } from "../processes.ts";

const MODULES = join(import.meta.dirname, "../../../node_modules/@chdb");
const READY_WITHIN_MS = 180_000;

export interface Servers extends AsyncDisposable {
  /** HTTP addresses of the replicas. */
  readonly urls: readonly [string, string];
}

/** Starts ZooKeeper and two servers, the replicas `r1` and `r2` of the cluster `events`. */
export async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), "cluster-"));
  const [keeper = 0, ...ports] = await freePorts(5);
  const [http1 = 0, http2 = 0, tcp1 = 0, tcp2 = 0] = ports;
  const children: ChildProcess[] = [startKeeper(folder, keeper)];
  const servers: Servers = {
    urls: [`http://127.0.0.1:${http1}`, `http://127.0.0.1:${http2}`],
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(kill9));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await untilServing(keeper, children);
    for (const [replica, http, tcp] of [
      ["r1", http1, tcp1] as const,
      ["r2", http2, tcp2] as const,
    ]) {
      const config = configOf({ replica, http, tcp, keeper, native: [tcp1, tcp2] });
      children.push(startReplica(folder, replica, config));
    }
    for (const url of servers.urls) await untilAnswer(url, children);
    return servers;
  } catch (error) {
    await servers[Symbol.asyncDispose]();
    throw error;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const open = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(open.map((server) => new Promise((done) => server.once("listening", done))));
  const ports = open.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(open.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

function startKeeper(folder: string, port: number): ChildProcess {
  const config = join(folder, "zoo.cfg");
  writeFileSync(
    config,
    `dataDir=${join(folder, "zookeeper")}\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n`,
  );
  const main = "org.apache.zookeeper.server.ZooKeeperServerMain";
  const java = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", brokerClasspath(ZOOKEEPER_POM)];
  return spawn("java", [...java, main, config], { stdio: "ignore" });
}

interface ReplicaConfig {
  readonly replica: string;
  readonly http: number;
  readonly tcp: number;
  readonly keeper: number;
  /** Native ports of all replicas. */
  readonly native: readonly number[];
}

const configOf = ({ replica, http, tcp, keeper, native }: ReplicaConfig): string => {
  const host = "127.0.0.1";
  return xml({
    clickhouse: {
      http_port: http,
      tcp_port: tcp,
      listen_host: host,
      zookeeper: { node: { host, port: keeper } },
      remote_servers: {
        events: {
          shard: { internal_replication: true, replica: native.map((port) => ({ host, port })) },
        },
      },
      macros: { shard: "1", replica },
    },
  });
};

type Xml = string | number | boolean | readonly Xml[] | { readonly [name: string]: Xml };

/** The engine is built without a parser for YAML. */
function xml(value: Xml): string {
  if (typeof value !== "object") return `${value}`;
  return Object.entries(value)
    .flatMap(([name, inner]) => [inner].flat().map((one) => `<${name}>${xml(one)}</${name}>`))
    .join("");
}

function startReplica(folder: string, replica: string, config: string): ChildProcess {
  const [library = ""] = readdirSync(MODULES);
  const file = join(folder, `${replica}.xml`);
  writeFileSync(file, config);
  const script = join(import.meta.dirname, "replica.py");
  const path = join(folder, replica);
  return spawn("python3", [script, join(MODULES, library, "libchdb.so"), path, file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Waits until ZooKeeper has a mode: before, it closes connections that it accepts. */
const untilServing = (port: number, children: readonly ChildProcess[]): Promise<void> =>
  untilTrue("ZooKeeper", children, async () => {
    const socket = connect(port, "127.0.0.1").end("srvr");
    const answer = await text(socket).catch(() => "");
    return answer.includes("Mode: standalone");
  });

const untilAnswer = (url: string, children: readonly ChildProcess[]): Promise<void> =>
  untilTrue(url, children, async () => {
    const query = encodeURIComponent(
      "SELECT count() FROM clusterAllReplicas('events', system.one)",
    );
    const answer = await fetch(`${url}/?query=${query}`).then(
      (response) => response.text(),
      () => "",
    );
    return answer.trim() === "2";
  });

async function untilTrue(
  what: string,
  children: readonly ChildProcess[],
  isTrue: () => Promise<boolean>,
): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
    if (await isTrue()) return;
    const ended = children.find(({ exitCode }) => exitCode !== null);
    if (ended) throw new Error(`${ended.spawnargs.join(" ")} ended with ${ended.exitCode}`);
  }
  throw new Error(`${what} has not answered within ${READY_WITHIN_MS} ms`);
}
