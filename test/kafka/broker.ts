import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Admin } from "@platformatic/kafka";
import { cacheOf, classpathOf, type Pom } from "../support/maven.ts";

/** The release of the stack's image. */
export const RELEASE: Pom = { file: join(import.meta.dirname, "pom.xml") };

/** An earlier one that the stack had. */
export const EARLIER_RELEASE: Pom = { ...RELEASE, properties: ["-Dkafka.version=4.1.2"] };

const READY_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 20_000;
/** Port range below the system's outgoing ports, apart from those of other tests. */
const PORTS = { from: 11_000, to: 20_000 } as const;

/** Makes starts cheaper; the second compiler would pay only after minutes. */
const QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"];

type Properties = Readonly<Record<string, string>>;
/** Ports of the client listener, the controller and the extra listener. */
export type Ports = readonly [number, number, number];
/** Id under which the cached storage is formatted. */
const FIRST_NODE = 1;

interface StartOptions {
  readonly jvm?: readonly string[];
  /** Release that formats the storage and starts first. */
  readonly release?: Pom;
  /** Address on which the listener `SECURE` listens, and which it gives to clients. */
  readonly secureHost?: string;
}

/** Settings of one node in KRaft mode; small internal topics start faster. */
const PROPERTIES = {
  "process.roles": "broker,controller",
  "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECURE:PLAINTEXT,CONTROLLER:PLAINTEXT",
  "controller.listener.names": "CONTROLLER",
  "inter.broker.listener.name": "PLAINTEXT",
  "auto.create.topics.enable": "false",
  "offsets.topic.replication.factor": "1",
  "offsets.topic.num.partitions": "1",
  "transaction.state.log.replication.factor": "1",
  "transaction.state.log.min.isr": "1",
  "transaction.state.log.num.partitions": "1",
  "group.initial.rebalance.delay.ms": "0",
  // A killed broker can register again only after its previous session has expired.
  "broker.session.timeout.ms": "3000",
  "broker.heartbeat.interval.ms": "500",
} as const;

/** One Apache Kafka node on this machine, its data in a temporary folder. */
export class TestBroker {
  readonly bootstrap: string;
  readonly directory: string;
  readonly logFile: string;
  #process: ChildProcess | undefined;

  /** Address of the extra listener `SECURE`, which the caller's properties configure. */
  readonly secureBootstrap: string;

  readonly #jvm: readonly string[];
  #release: Pom;

  private constructor(
    bootstrap: string,
    secureBootstrap: string,
    directory: string,
    jvm: readonly string[],
    release = RELEASE,
  ) {
    this.#jvm = jvm;
    this.#release = release;
    this.bootstrap = bootstrap;
    this.secureBootstrap = secureBootstrap;
    this.directory = directory;
    this.logFile = join(directory, "broker.log");
  }

  /**
   * Starts on free ports and waits until the broker answers clients; retries on other ports if one
   * is taken meanwhile. `properties` override the defaults.
   */
  static async start(properties: Properties = {}, options: StartOptions = {}): Promise<TestBroker> {
    const broker = await TestBroker.#prepare(properties, options);
    try {
      await broker.restart();
      return broker;
    } catch (error) {
      if (!readFileSync(broker.logFile, "utf8").includes("Address already in use")) throw error;
      await broker.stop();
    }
    const other = await TestBroker.#prepare(properties, options);
    await other.restart();
    return other;
  }

  /** Chooses the ports last, because formatting the storage takes time. */
  static async #prepare(
    properties: Properties,
    { jvm = QUICK_START, release, secureHost = "localhost" }: StartOptions,
  ): Promise<TestBroker> {
    const directory = mkdtempSync(join(tmpdir(), "test-broker-"));
    writeLogging(directory);
    writeProperties(directory, { ...settings(directory, [1, 2, 3], secureHost), ...properties });
    format(directory, release);
    const [ports] = await freePorts(1);
    if (!ports) throw new Error("No ports are free");
    writeProperties(directory, { ...settings(directory, ports, secureHost), ...properties });
    const [port, , securePort] = ports;
    const addresses = [`127.0.0.1:${port}`, `${secureHost}:${securePort}`] as const;
    return new TestBroker(...addresses, directory, jvm, release);
  }

  /** A node of a cluster with the id and the voters in `properties`, not started. */
  static node(id: number, ports: Ports, properties: Properties): TestBroker {
    const directory = mkdtempSync(join(tmpdir(), `test-broker-${id}-`));
    const [port, , securePort] = ports;
    writeLogging(directory);
    writeProperties(directory, { ...settings(directory, ports, "127.0.0.1"), ...properties });
    format(directory);
    if (id !== FIRST_NODE) renameNode(join(directory, "data/meta.properties"), id);
    const secure = `127.0.0.1:${securePort}`;
    return new TestBroker(`127.0.0.1:${port}`, secure, directory, QUICK_START);
  }

  /** Restarts on the same data and ports after `kill9` or `shutDown`, as this or another release. */
  async restart(release = this.#release): Promise<void> {
    if (this.#process) throw new Error("The broker is running");
    this.#release = release;
    const log = openSync(this.logFile, "a");
    const child = spawn(
      "java",
      [...this.#jvm, ...javaArguments(this.directory, release), "kafka.Kafka", "server.properties"],
      {
        cwd: this.directory,
        stdio: ["ignore", log, log],
      },
    );
    this.#process = child;
    process.once("exit", killQuietly(child));
    await this.#waitForReadiness(child);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Kills the process at once, as a power cut would. */
  async kill9(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the process and waits; keeps the data. */
  async shutDown(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** Stops the process and removes its data. */
  async stop(): Promise<void> {
    await this.#end("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #waitForReadiness(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (Date.now() < deadline && child.exitCode === null) {
      if (await answers(this.bootstrap)) return;
      await sleep(100);
    }
    await this.#end("SIGKILL");
    const tail = readFileSync(this.logFile, "utf8").split("\n").slice(-30).join("\n");
    throw new Error(`The broker did not become ready:\n${tail}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }
}

/** Arguments of `java` up to the main class. */
export const javaArguments = (directory: string, release = RELEASE): string[] => [
  "-Xmx512m",
  "-XX:+UseSerialGC",
  `-Dlog4j2.configurationFile=${join(directory, "log4j2.properties")}`,
  "-cp",
  classpathOf(release),
];

function settings(
  directory: string,
  [port, controllerPort, securePort]: Ports,
  secureHost: string,
): Properties {
  const open = `PLAINTEXT://127.0.0.1:${port},SECURE://${secureHost}:${securePort}`;
  return {
    ...PROPERTIES,
    "node.id": String(FIRST_NODE),
    listeners: `${open},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": open,
    "controller.quorum.voters": `${FIRST_NODE}@127.0.0.1:${controllerPort}`,
    "log.dirs": join(directory, "data"),
  };
}

function writeProperties(directory: string, properties: Properties): void {
  const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}`);
  writeFileSync(join(directory, "server.properties"), `${lines.join("\n")}\n`);
}

function writeLogging(directory: string): void {
  const lines = [
    "appender.stdout.type=Console",
    "appender.stdout.name=STDOUT",
    "appender.stdout.layout.type=PatternLayout",
    "appender.stdout.layout.pattern=%d %p %m (%c)%n",
    "rootLogger.level=INFO",
    "rootLogger.appenderRef.stdout.ref=STDOUT",
  ];
  writeFileSync(join(directory, "log4j2.properties"), `${lines.join("\n")}\n`);
}

/** Copies a formatted storage, because formatting starts a Java machine. */
function format(directory: string, release = RELEASE): void {
  const formatted = cacheOf(release, "storage");
  const data = join(directory, "data");
  if (!existsSync(formatted)) keepFormatted(directory, release, formatted);
  if (!existsSync(data)) cpSync(formatted, data, { recursive: true });
}

function keepFormatted(directory: string, release: Pom, formatted: string): void {
  formatStorage(directory, release);
  const aside = `${formatted}.${process.pid}`;
  cpSync(join(directory, "data"), aside, { recursive: true });
  try {
    renameSync(aside, formatted);
  } catch {
    // Another level was faster.
    rmSync(aside, { recursive: true });
  }
}

function formatStorage(directory: string, release: Pom): void {
  const cluster = "MkU3OEVBNTcwNTJENDM2Qk";
  const tool = ["kafka.tools.StorageTool", "format", "-t", cluster, "-c", "server.properties"];
  const { status, stdout, stderr } = spawnSync(
    "java",
    [...QUICK_START, ...javaArguments(directory, release), ...tool],
    {
      cwd: directory,
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`The broker's storage cannot be formatted: ${stdout}${stderr}`);
}

/** Gives a copy of the formatted storage another node's id, and an id of its own. */
function renameNode(file: string, id: number): void {
  const text = readFileSync(file, "utf8")
    .replace(/^node\.id=.*$/m, `node.id=${id}`)
    .replace(/^directory\.id=.*$/m, `directory.id=${randomBytes(16).toString("base64url")}`);
  writeFileSync(file, text);
}

async function answers(bootstrap: string): Promise<boolean> {
  const admin = new Admin({
    clientId: "test-broker",
    bootstrapBrokers: [bootstrap],
    retries: 0,
    connectTimeout: 500,
    requestTimeout: 1_000,
  });
  try {
    return (await admin.metadata({ topics: [] })).brokers.size > 0;
  } catch {
    return false;
  } finally {
    await admin.close();
  }
}

/** Ports of nodes, free at the time of the call. All are opened at once, so that they differ. */
export async function freePorts(nodes: number): Promise<Ports[]> {
  const servers: Server[] = [];
  const next = async (): Promise<number> => {
    const server = await listen();
    servers.push(server);
    return (server.address() as { port: number }).port;
  };
  const ports: Ports[] = [];
  while (ports.length < nodes) ports.push([await next(), await next(), await next()]);
  for (const server of servers) server.close();
  return ports;
}

/** Opens a listener on any free port of the range. */
async function listen(): Promise<Server> {
  for (;;) {
    const server = createServer().listen(randomInt(PORTS.from, PORTS.to), "127.0.0.1");
    const isFree = once(server, "listening").then(
      () => true,
      () => false,
    );
    if (await isFree) return server;
  }
}

const killQuietly = (child: ChildProcess) => (): void => {
  child.kill("SIGKILL");
};
