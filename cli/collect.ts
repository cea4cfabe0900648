import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { FastifyInstance } from "fastify";
import { Journal } from "../collector/journal.ts";
import { CollectorMetrics } from "../collector/metrics.ts";
import { Pump } from "../collector/pump.ts";
import { createCollector } from "../collector/server.ts";
import { ADDRESSES, type AddressKept, DailyVisitors } from "../collector/visitor.ts";
import { UserError } from "../contract/errors.ts";
import { makeFolder } from "../contract/files.ts";
import { listen } from "../generator/service/listen.ts";
import { formatSeconds } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { isRunning } from "../terminal/process.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { commandOn } from "../warehouse/database/command.ts";
import type { ServerDatabase } from "../warehouse/database/http.ts";
import { openServer, openWorkspace } from "../warehouse/database/open.ts";
import { isServer, rememberWorkspace, stateRoot } from "../warehouse/engine/workspace.ts";
import { Delivery } from "../warehouse/hits/delivery.ts";
import { outcomesOf } from "../warehouse/hits/outcomes.ts";
import { type Outlet, StgOutlet, TopicsOutlet } from "../warehouse/hits/outlet.ts";
import { answer } from "../warehouse/ingest/service.ts";
import { refuseBrokerFed } from "../warehouse/loader/stg-publisher.ts";
import { ensureSchema } from "../warehouse/schema/ddl.ts";
import { bootstrapOption, connectionTo, nonEmpty, placeFor, wholeNumber } from "./options.ts";
import { pagePort } from "./page-port.ts";

interface CollectOptions {
  readonly port: number;
  readonly bind: string;
  readonly database: string;
  readonly bootstrap?: string;
  readonly journal?: string;
  readonly metricsPort?: number;
  readonly origin: readonly string[];
  readonly site: readonly string[];
  readonly address: AddressKept;
  readonly publishedLocally?: true;
  readonly journalMb: number;
  readonly rate: number;
  readonly proxy?: string;
}

const DEFAULT_DIRECTORY = join(stateRoot(), "collect");

export function registerCollect(program: Command): void {
  program
    .command("collect")
    .description(
      "Collect the hits of trackers in a workspace, whose marts it keeps up to date, or for a stack",
    )
    .option("--port <port>", "port of HTTP", pagePort(1), 9135)
    .option("--bind <address>", "address to listen on", nonEmpty, "127.0.0.1")
    .addOption(
      new Option(
        "--database <dir|url>",
        "data directory, created if missing; or the server of a stack, whose Kafka gets the hits",
      )
        .env("CLICKHOUSE_URL")
        .argParser(nonEmpty)
        .default(DEFAULT_DIRECTORY, ".state/collect"),
    )
    .option(
      "--origin <origin>",
      "site whose pages may send, such as https://shop.example; repeatable; pages of this machine always may",
      anOrigin,
      [],
    )
    .option(
      "--site <site>",
      "accept only hits of this site, as its tracker names it; repeatable; default: every site",
      (site: string, earlier: readonly string[]) => [...earlier, nonEmpty(site)],
      [],
    )
    .addOption(
      new Option("--address <kept>", "how to store visitors' addresses")
        .choices(ADDRESSES)
        .default("shortened"),
    )
    .option(
      "--rate <requests>",
      "maximum requests per second from one address",
      wholeNumber(1, 1_000_000),
      100,
    )
    .option(
      "--proxy <address>",
      "proxy whose X-Forwarded-For names the visitor's address",
      anAddress,
    )
    .addOption(bootstrapOption())
    .option(
      "--journal <dir>",
      "directory of undelivered hits; default: in the data directory",
      nonEmpty,
    )
    .option(
      "--published-locally",
      "let this machine read hits; only for a container whose port no other machine reaches",
    )
    .option("--metrics-port <port>", "port of /metrics and /healthz; default: none", pagePort(1))
    .option(
      "--journal-mb <size>",
      "maximum size of undelivered hits, MB",
      wholeNumber(1, 1_000_000),
      256,
    )
    .addHelpText(
      "after",
      "\nTrackers: Snowplow, Segment, PostHog, Plausible, Umami, and the snippet /snippet.js.",
    )
    .action(collect);
}

function anOrigin(text: string, earlier: readonly string[]): string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...earlier, text];
  throw new InvalidArgumentError("Allowed: scheme and host, such as https://shop.example");
}

function anAddress(text: string): string {
  if (isIP(text) > 0) return text;
  throw new InvalidArgumentError("Allowed: an IP address, such as 127.0.0.1");
}

async function collect(options: CollectOptions): Promise<void> {
  if (isServer(options.database)) return collectForStack(options);
  const db = await openWorkspace(options.database);
  try {
    rememberWorkspace(options.database);
    await ensureSchema(db);
    await refuseBrokerFed(db);
    refuseSecond(options.database);
    const marts = new Marts(db);
    const dir = options.journal ?? join(options.database, "journal");
    await runCollector(db, { dir, outlet: new StgOutlet(db), marts }, options);
  } finally {
    await db.close();
  }
}

/** Sends the hits to Kafka; the stack loads the marts. */
async function collectForStack(options: CollectOptions): Promise<void> {
  if (options.bootstrap === undefined || options.journal === undefined) {
    throw new UserError(
      `--database ${options.database} is a server, which needs --bootstrap and --journal`,
      "name a folder, or omit --database",
    );
  }
  const db = openServer(options.database);
  try {
    const outlet = new TopicsOutlet(connectionTo(options.bootstrap));
    await runCollector(db, { dir: options.journal, outlet }, options);
  } finally {
    await db.close();
  }
}

interface Destination {
  /** Directory of the journal. */
  readonly dir: string;
  readonly outlet: Outlet;
  /** Updated after each delivery. */
  readonly marts?: Marts;
}

async function runCollector(
  db: ServerDatabase,
  { dir, outlet, marts }: Destination,
  options: CollectOptions,
): Promise<void> {
  refuseSecond(dir);
  const delivery = await Delivery.open(db, outlet);
  const metrics = new CollectorMetrics();
  const journal = new Journal(dir, {
    next: await delivery.next(),
    maxBytes: options.journalMb * 1_000_000,
    onStored: metrics.stored,
  });
  const pump = new Pump({
    journal,
    deliver: (segment) => delivery.deliver(segment),
    onDelivered: () => marts?.update(),
    onFailure: (error) => {
      metrics.failed();
      warn(error);
    },
  });
  const outcomes = outcomesOf(db, () => pump.flush());
  const app = await createCollector({
    ...options,
    ...{ journal, outcomes, visitors: new DailyVisitors(dir) },
    ...{ origins: options.origin, sites: options.site },
  });
  metrics.watch(app, journal);
  const endpoint = await serveMetrics(options.metricsPort, metrics, pump);
  try {
    await listenOn(app, options);
    report(options);
    await Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name)));
  } finally {
    await app.close();
    await pump.stop();
    await endpoint?.close();
    await marts?.end();
    await delivery.close();
    await journal.close();
  }
  const { total, good, bad } = await outcomesOf(db, async () => undefined).totals();
  printLine(`${total} hits = ${good} good + ${bad} bad`);
}

async function listenOn(app: FastifyInstance, { port, bind }: CollectOptions): Promise<void> {
  await app.listen({ port, host: bind }).catch((error) => {
    throw error.code === "EADDRINUSE"
      ? new UserError(`Port ${port} is in use`, "choose another port with --port PORT")
      : error;
  });
}

/** On a port of its own, because that of the hits may be open to everybody. */
const serveMetrics = (port: number | undefined, { registry }: CollectorMetrics, pump: Pump) =>
  port === undefined
    ? undefined
    : listen({ host: "0.0.0.0", port, variable: "--metrics-port" }, answer(registry, pump));

/** Refuses two collectors of one journal or workspace, which would number their hits alike. @throws UserError */
function refuseSecond(dir: string): void {
  const file = join(dir, "collector-process");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  // In a container, each process has the same id.
  if (pid > 0 && pid !== process.pid && isRunning(pid)) {
    throw new UserError(
      `Another collector uses ${dir} (process ${pid})`,
      `end it, or choose another directory with --database DIR; if it is another program, remove ${file}`,
    );
  }
  makeFolder(dir);
  writeFileSync(file, String(process.pid));
  process.once("exit", () => rmSync(file, { force: true }));
}

/** Keeps dds and dm up to date: one run at a time, and another one if hits came in the meantime. */
class Marts {
  readonly #db: ServerDatabase;
  #run: Promise<void> | undefined;
  #isStale = false;

  constructor(db: ServerDatabase) {
    this.#db = db;
  }

  update(): void {
    this.#isStale = true;
    this.#run ??= this.#untilFresh().finally(() => {
      this.#run = undefined;
    });
  }

  async end(): Promise<void> {
    await this.#run;
  }

  async #untilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const started = performance.now();
      try {
        await transform(this.#db, { fullRefresh: false, waitSeconds: 30 });
        printLine(`marts updated in ${formatSeconds((performance.now() - started) / 1000)}`);
      } catch (error) {
        warn(error);
      }
    }
  }
}

const warn = (error: unknown): void => {
  const hint = error instanceof UserError ? `\n  hint: ${error.hint}` : "";
  process.stderr.write(`warning: ${(error as Error).message}${hint}\n`);
};

function report({ port, bind, database }: CollectOptions): void {
  const url = `http://${bind.includes(":") ? `[${bind}]` : bind}:${port}`;
  printLine(
    `Collecting. Press Ctrl+C to stop.
  click here        ${url}/home
  last hits         ${url}/
  snippet           <script defer src="${url}/snippet.js" data-site="shop.example"></script>
  query             ${commandOn(placeFor(database), "serve")}`,
  );
}
