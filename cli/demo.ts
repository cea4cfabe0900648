import { join, relative } from "node:path";
import { type Command, Option } from "commander";
import { callable } from "../contract/command-call.ts";
import { requireWritable, writeWhole } from "../contract/files.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Database } from "../contract/ports.ts";
import { emptyStatement, statementOf } from "../contract/statement.ts";
import { DAY, isoMicros } from "../contract/time.ts";
import { runBackfill } from "../generator/backfill.ts";
import { catalogueDonors } from "../generator/catalogue/donors.ts";
import { type GeneratorConfig, parseConfig } from "../generator/config.ts";
import { DonorPool } from "../generator/model/donors.ts";
import { BEHAVIOURS, type BehaviourName } from "../generator/variables.ts";
import { buildReport } from "../report/report.ts";
import { formatCount, formatNumber, formatSeconds, renderTable } from "../terminal/format.ts";
import { onInterrupt } from "../terminal/interruption.ts";
import { startProgress } from "../terminal/progress.ts";
import type { StepResult } from "../warehouse/batch/run-step.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { commandOn } from "../warehouse/database/command.ts";
import { stateRoot } from "../warehouse/database/workspace.ts";
import { DEMO_SOURCE } from "../warehouse/ledger/interrupted-load.ts";
import type { Ledger } from "../warehouse/ledger/ledger.ts";
import { currentEpoch, prove } from "../warehouse/ledger/prove.ts";
import { renderLedger } from "../warehouse/ledger/render.ts";
import { storeSource } from "../warehouse/ledger/source.ts";
import { totalOf } from "../warehouse/loader/load.ts";
import { stepLine } from "./batch.ts";
import { openFresh } from "./demo-workspace.ts";
import { dataOption, nonEmpty, numberBetween, printLine, wholeNumber } from "./options.ts";
import { requireComplete, requireNothingLost } from "./prove.ts";

const DEFAULT_RATE = 30;
const DEFAULT_DIRECTORY = join(stateRoot(), "demo");
export const DEMO_DEFAULTS = {
  days: 7,
  seed: "1",
  rate: DEFAULT_RATE,
  behaviour: "shop",
} as const;
/** Page events per model minute; a higher rate would exceed GEN_MAX_ACTIVE_SESSIONS's bound. */
const RATES = numberBetween(0.001, 150_000);
const TICK_SECONDS = 5;
const DEMO_T0 = "2026-01-01T00:00:00Z";

interface DemoOptions {
  readonly days: number;
  readonly seed: string;
  readonly rate: number;
  readonly behaviour: BehaviourName;
  readonly database: string;
  /** Deprecated name of `database`. */
  readonly data?: string;
  readonly report: string;
}

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("Run the whole pipeline on the embedded engine: no Docker, no broker")
    .option("--days <n>", "model days of history", wholeNumber(1, 3650), DEMO_DEFAULTS.days)
    .option(
      "--seed <text>",
      "seed of the generator: same seed, same bytes",
      nonEmpty,
      DEMO_DEFAULTS.seed,
    )
    .option("--rate <n>", "page events per model minute", RATES, DEMO_DEFAULTS.rate)
    .addOption(
      new Option("--behaviour <name>", "all visitors alike, or differences with known answers")
        .choices(BEHAVIOURS)
        .default(DEMO_DEFAULTS.behaviour),
    )
    .addOption(
      new Option("--database <dir>", "data directory; an earlier demo in it is replaced")
        .argParser(nonEmpty)
        .default(DEFAULT_DIRECTORY, ".state/demo"),
    )
    .addOption(dataOption())
    .option("--report <file>", "file of the report", "report.html")
    .action(demo);
}

async function demo({ data, ...given }: DemoOptions): Promise<void> {
  const options = { ...given, database: data ?? given.database };
  const started = performance.now();
  const config = demoConfig(options);
  requireWritable(options.report, `--report ${options.report}`);
  printLine(
    `${formatNumber(options.days, "model day")} from ${isoMicros(config.t0)}, ${formatNumber(options.rate, "page event")} per minute, seed ${options.seed}, behaviour ${options.behaviour}`,
  );
  warnOfLength(options);
  const db = await openFresh(options.database);
  const release = onInterrupt(() => process.stderr.write(interrupted(options.database)));
  try {
    const { manifest, result: generated } = await generate(db, config);
    const steps = await transform(db, {
      fullRefresh: true,
      waitSeconds: 30,
      onStep: (step) => printLine(stepLine(step)),
    });
    const ledger = await timed("ledger", () => prove(db));
    printLine(`\n${renderLedger(ledger)}`);
    const database = relative(process.cwd(), options.database);
    const input = { ledger, manifest, config, steps: [generated, ...steps], database };
    const page = await timed("report", () => buildReport(db, input));
    writeWhole(options.report, page, `--report ${options.report}`);
    printDigests(ledger);
    printNext(options, (performance.now() - started) / 1000);
    requireNothingLost(ledger);
    requireComplete(ledger);
  } finally {
    release();
    await db.close();
  }
}

function interrupted(directory: string): string {
  const again = directory === DEFAULT_DIRECTORY ? "make demo" : commandOn({ directory }, "demo");
  return `\nThe demo was interrupted, and ${relative(process.cwd(), directory)} is incomplete\n  hint: ${callable(`run \`${again}\` to start again`)}\n`;
}

/** Page events per second on a small machine, from generation to report. */
const SPEED = 25_000;
const LONG_SECONDS = 120;

function warnOfLength({ days, rate }: DemoOptions): void {
  const events = days * 1440 * rate;
  const seconds = events / SPEED;
  if (seconds < LONG_SECONDS) return;
  process.stderr.write(
    `warning: about ${formatCount(Math.round(events / 1e6))} million page events, about ${formatCount(Math.round(seconds / 60))} minutes on a small machine. Press Ctrl+C to stop. hint: --days 30 (DAYS=30) takes less time\n`,
  );
}

/** Scales ticks and caps with the rate, so that no cap rejects sessions. */
export function demoConfig({
  days,
  seed,
  rate,
  behaviour,
}: Pick<DemoOptions, "days" | "seed" | "rate" | "behaviour">): GeneratorConfig {
  const share = rate / DEFAULT_RATE;
  const scaled = (standard: number): string => String(Math.ceil(standard * Math.max(1, share)));
  return parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_SEED: seed,
    GEN_BEHAVIOUR: behaviour,
    GEN_LAMBDA_BASE_PER_MIN: String(rate),
    GEN_TICK_SECONDS: String(Math.min(3600, TICK_SECONDS * Math.max(1, 1 / share))),
    GEN_MAX_EVENTS_PER_TICK: scaled(50),
    GEN_MAX_ACTIVE_SESSIONS: scaled(200),
    GEN_POPULATION_MAX: scaled(300),
    GEN_MODEL_T0: DEMO_T0,
    GEN_MODEL_T_END: isoMicros(Date.parse(DEMO_T0) * 1000 + days * DAY),
  });
}

/** Generates a history into stg, and stores its manifest last. */
export async function generate(
  db: Database,
  config: GeneratorConfig,
): Promise<{ manifest: Manifest; result: StepResult }> {
  const started = performance.now();
  const { StgPublisher } = await import("../embedded/stg-publisher.ts");
  const publisher = await StgPublisher.open(db);
  const epoch = await currentEpoch(db);
  const begun = { name: DEMO_SOURCE, statement: emptyStatement(), manifest: undefined };
  await storeSource(db, epoch, { ...begun, isFinal: false });
  const progress = startProgress("  generate");
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { manifest } = await runBackfill(config, donors, publisher, {
    onProgress: ({ ratio, events }) => progress.update(ratio, `${formatCount(events)} page events`),
  });
  await publisher.close();
  const statement = statementOf(manifest);
  await storeSource(db, epoch, { name: DEMO_SOURCE, statement, manifest, isFinal: true });
  progress.stop();
  const result: StepResult = {
    id: "generate",
    seconds: (performance.now() - started) / 1000,
    report: { page_events: manifest.counts.browser, messages: totalOf(statement) },
  };
  printLine(stepLine(result));
  if (manifest.unborn > 0) {
    printLine(
      `  ${formatCount(manifest.unborn)} sessions rejected at the demo's limits GEN_MAX_ACTIVE_SESSIONS and GEN_POPULATION_MAX`,
    );
  }
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

function printNext({ report }: DemoOptions, seconds: number): void {
  printLine(`
Done in ${formatSeconds(seconds)}. Open ${report} in a browser.
Explore this data:
  make play                     SQL console in the browser
  npm run pipeline -- follow    one session through all layers
  npm run pipeline -- prove     reconcile every message`);
}
