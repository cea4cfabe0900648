import { rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { UserError } from "../../contract/errors.ts";
import type { Manifest } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { statementOf } from "../../contract/statement.ts";
import { DAY, isoMicros } from "../../contract/time.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { catalogueDonors } from "../../generator/catalogue/donors.ts";
import { type GeneratorConfig, parseConfig } from "../../generator/config.ts";
import { DonorPool } from "../../generator/model/donors.ts";
import type { StepResult } from "../batch/run-step.ts";
import { transform } from "../batch/transform.ts";
import { openDatabase, STATE_ROOT } from "../database/open.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { currentEpoch, prove } from "../ledger/prove.ts";
import { renderLedger } from "../ledger/render.ts";
import { storeSource } from "../ledger/source.ts";
import { totalOf } from "../loader/load.ts";
import { buildReport } from "../report/report.ts";
import { applyDdl } from "../schema/ddl.ts";
import { formatCount, formatSeconds, renderTable } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { stepLine } from "./batch.ts";
import { positiveNumber, printLine, wholeNumber } from "./options.ts";

const DEMO_DIRECTORY = join(STATE_ROOT, "demo");
const DEMO_T0 = "2026-01-01T00:00:00Z";

interface DemoOptions {
  readonly days: number;
  readonly seed: string;
  readonly rate: number;
  readonly data: string;
  readonly report: string;
}

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("Run the whole pipeline on the embedded engine: no Docker, no broker")
    .option("--days <n>", "model days of history", wholeNumber(1, 3650), 7)
    .option("--seed <text>", "seed of the generator: same seed, same bytes", "1")
    .option("--rate <n>", "page events per model minute", positiveNumber, 30)
    .option("--data <dir>", "data directory, made anew", DEMO_DIRECTORY)
    .option("--report <file>", "where the report goes", "report.html")
    .action(demo);
}

async function demo(options: DemoOptions): Promise<void> {
  const started = performance.now();
  const config = demoConfig(options);
  printLine(
    `${options.days} model days from ${isoMicros(config.t0)}, ${options.rate} page events per minute, seed ${options.seed}`,
  );
  const db = await openFresh(options.data);
  try {
    const { manifest, result: generated } = await generate(db, config);
    const steps = await transform(db, {
      fullRefresh: true,
      waitSeconds: 30,
      onStep: (step) => printLine(stepLine(step)),
    });
    const ledger = await timed("ledger", () => prove(db));
    printLine(`\n${renderLedger(ledger)}`);
    const database = relative(process.cwd(), options.data);
    const input = { ledger, manifest, config, steps: [generated, ...steps], database };
    writeFileSync(options.report, await timed("report", () => buildReport(db, input)));
    printDigests(ledger);
    printNext(options, (performance.now() - started) / 1000);
    if (ledger.unaccounted > 0) {
      throw new UserError(`${ledger.unaccounted} messages are unaccounted for.`, "make demo");
    }
  } finally {
    await db.close();
  }
}

function demoConfig({ days, seed, rate }: DemoOptions): GeneratorConfig {
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_SEED: seed,
    GEN_LAMBDA_BASE_PER_MIN: String(rate),
    GEN_MODEL_T0: DEMO_T0,
    GEN_MODEL_T_END: isoMicros(Date.parse(DEMO_T0) * 1000 + days * DAY),
  });
  return config;
}

async function openFresh(directory: string): Promise<Database> {
  rmSync(directory, { recursive: true, force: true });
  const db = await openDatabase(directory);
  await applyDdl(db, "all");
  return db;
}

/** Generates the history straight into `stg` and keeps its manifest beside it. */
async function generate(
  db: Database,
  config: GeneratorConfig,
): Promise<{ manifest: Manifest; result: StepResult }> {
  const started = performance.now();
  const { StgPublisher } = await import("../../embedded/stg-publisher.ts");
  const publisher = await StgPublisher.open(db);
  const progress = startProgress("  generate");
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { manifest } = await runBackfill(config, donors, publisher, {
    onProgress: ({ ratio, events }) => progress.update(ratio, `${formatCount(events)} page events`),
  });
  await publisher.close();
  const statement = statementOf(manifest);
  await storeSource(db, await currentEpoch(db), { name: "demo", statement, manifest });
  progress.stop();
  const result: StepResult = {
    id: "generate",
    seconds: (performance.now() - started) / 1000,
    report: { page_events: manifest.counts.browser, messages: totalOf(statement) },
  };
  printLine(stepLine(result));
  return { manifest, result };
}

async function timed<T>(id: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  printLine(stepLine({ id, seconds: (performance.now() - started) / 1000, report: {} }));
  return result;
}

function printDigests(ledger: Ledger): void {
  const rows = ledger.digests.map((line) => [line.name, line.rows, line.digest]);
  printLine(renderTable(["table", "rows", "digest"], rows));
  printLine(`manifest checksum ${ledger.checksum}`);
}

function printNext({ report, data }: DemoOptions, seconds: number): void {
  const directory = relative(process.cwd(), data);
  printLine(`
Done in ${formatSeconds(seconds)}. Open ${report} in a browser.
Look further:
  make play   SQL page on the demo's data, http://127.0.0.1:9123/play
  npm run pipeline -- follow --database ${directory}   one visit through all layers
  npm run pipeline -- prove --database ${directory}`);
}
