import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { Journal } from "../collector/journal.ts";
import { Pump } from "../collector/pump.ts";
import { createCollector } from "../collector/server.ts";
import { ADDRESSES, type AddressKept, DailyVisitors } from "../collector/visitor.ts";
import { UserError } from "../contract/errors.ts";
import { makeFolder } from "../contract/files.ts";
import { formatSeconds } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { isRunning } from "../terminal/process.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { commandOn } from "../warehouse/database/command.ts";
import type { ServerDatabase } from "../warehouse/database/http.ts";
import { openWorkspace } from "../warehouse/database/open.ts";
import { isServer, rememberWorkspace, stateRoot } from "../warehouse/engine/workspace.ts";
import { Delivery } from "../warehouse/hits/delivery.ts";
import { outcomesOf } from "../warehouse/hits/outcomes.ts";
import { refuseBrokerFed } from "../warehouse/loader/stg-publisher.ts";
import { ensureSchema } from "../warehouse/schema/ddl.ts";
import { nonEmpty, placeFor, wholeNumber } from "./options.ts";
import { pagePort } from "./page-port.ts";

interface CollectOptions {
  readonly port: number;
  readonly bind: string;
  readonly database: string;
  readonly origin: readonly string[];
  readonly site: readonly string[];
  readonly address: AddressKept;
  readonly journalMb: number;
  readonly rate: number;
  readonly proxy?: string;
}

const DEFAULT_DIRECTORY = join(stateRoot(), "collect");

export function registerCollect(program: Command): void {
  program
    .command("collect")
    .description("Collect the hits of trackers in a workspace, and keep its marts up to date")
    .option("--port <port>", "port of HTTP", pagePort(1), 9135)
    .option("--bind <address>", "address to listen on", nonEmpty, "127.0.0.1")
    .addOption(
      new Option("--database <dir>", "data directory; created if missing")
        .argParser(nonEmpty)
        .default(DEFAULT_DIRECTORY, ".state/collect"),
    )
    .option(
      "--origin <origin>",
      "site whose pages may send, such as https://shop.example; several times for several; pages of this machine always may",
      anOrigin,
      [],
    )
    .option(
      "--site <site>",
      "site whose hits are taken, as its tracker names it; several times for several; default: every site",
      (site: string, earlier: readonly string[]) => [...earlier, nonEmpty(site)],
      [],
    )
    .addOption(
      new Option("--address <kept>", "what to keep of visitors' addresses")
        .choices(ADDRESSES)
        .default("shortened"),
    )
    .option(
      "--rate <requests>",
      "most requests per second of one address",
      wholeNumber(1, 1_000_000),
      100,
    )
    .option(
      "--proxy <address>",
      "proxy whose X-Forwarded-For names the visitor's address",
      anAddress,
    )
    .option("--journal-mb <size>", "disk for hits that wait, MB", wholeNumber(1, 1_000_000), 256)
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
  if (isServer(options.database)) {
    throw new UserError(
      `--database ${options.database} is a server. Allowed: a directory`,
      "name a folder, or omit --database",
    );
  }
  const db = await openWorkspace(options.database);
  try {
    rememberWorkspace(options.database);
    await ensureSchema(db);
    await refuseBrokerFed(db);
    await runCollector(db, options);
  } finally {
    await db.close();
  }
}

async function runCollector(db: ServerDatabase, options: CollectOptions): Promise<void> {
  const dir = join(options.database, "journal");
  refuseSecond(dir);
  const delivery = await Delivery.open(db);
  const journal = new Journal(dir, {
    next: await delivery.next(),
    maxBytes: options.journalMb * 1_000_000,
  });
  const marts = new Marts(db);
  const pump = new Pump({
    journal,
    deliver: (segment) => delivery.deliver(segment),
    onDelivered: () => marts.update(),
    onFailure: warn,
  });
  const outcomes = outcomesOf(db, () => pump.flush());
  const app = await createCollector({
    ...options,
    journal,
    visitors: new DailyVisitors(dir),
    outcomes,
    origins: options.origin,
    sites: options.site,
  });
  try {
    await app.listen({ port: options.port, host: options.bind }).catch((error) => {
      throw error.code === "EADDRINUSE"
        ? new UserError(`Port ${options.port} is in use`, "choose another port with --port PORT")
        : error;
    });
    report(options);
    await Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name)));
  } finally {
    await app.close();
    await pump.stop();
    await marts.end();
    await delivery.store(true);
    await journal.close();
    await delivery.close();
  }
  const { total, good, bad } = await outcomes.totals();
  printLine(`${total} hits = ${good} good + ${bad} bad`);
}

/** Refuses two collectors of one journal, which would number their hits alike. @throws UserError */
function refuseSecond(dir: string): void {
  const file = join(dir, "process");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (pid > 0 && isRunning(pid)) {
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
