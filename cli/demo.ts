import { join, relative } from "node:path";
import { type Command, Option } from "commander";
import { callable, commandList } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { requireWritable, writeWhole } from "../contract/files.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { ReadableDatabase } from "../contract/ports.ts";
import { isoMicros } from "../contract/time.ts";
import { BEHAVIOURS } from "../generator/behaviour/config.ts";
import type { GeneratorConfig } from "../generator/config.ts";
import { estimateSize } from "../generator/history-size.ts";
import { requireConsent } from "../terminal/confirm.ts";
import { formatCount, formatNumber, formatSeconds, renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { onInterrupt } from "../terminal/process.ts";
import { stepLine, transform } from "../warehouse/batch/transform.ts";
import { commandOn } from "../warehouse/database/command.ts";
import {
  DEMO_DEFAULTS,
  type DemoModel,
  demoConfig,
  refuseSettings,
} from "../warehouse/demo/config.ts";
import { generate } from "../warehouse/demo/generate.ts";
import { openFresh } from "../warehouse/demo/workspace.ts";
import { holdsData, shortPath, stateRoot } from "../warehouse/engine/workspace.ts";
import { prove } from "../warehouse/reconciliation/prove.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../warehouse/reconciliation/render.ts";
import { requireComplete, requireNothingLost } from "../warehouse/reconciliation/requirements.ts";
import { nonEmpty, numberBetween, placeFor, wholeNumber } from "./options.ts";

const DEFAULT_DIRECTORY = join(stateRoot(), "demo");
/** Page events per model minute; a higher rate would exceed GEN_MAX_ACTIVE_SESSIONS's bound. */
const RATES = numberBetween(0.001, 150_000);

interface DemoOptions extends DemoModel {
  readonly database: string;
  readonly report: string;
}

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .description("Run the whole pipeline in a workspace: no Docker, no broker")
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
    .option("--report <file>", "file of the report", "report.html")
    .action(demo);
}

async function demo(options: DemoOptions): Promise<void> {
  refuseSettings("demo");
  const config = demoConfig(options);
  requireWritable(options.report, `--report ${options.report}`);
  printLine(
    `${formatNumber(options.days, "model day")} from ${isoMicros(config.t0)}, ${formatNumber(options.rate, "page event")} per minute, seed ${options.seed}, behaviour ${options.behaviour}`,
  );
  const { database, report } = options;
  await announceLong(options, config);
  const again =
    database === DEFAULT_DIRECTORY ? "pipeline demo" : commandOn({ directory: database }, "demo");
  await runHistory(config, { database, report, command: "demo", again, next: () => NEXT });
}

const NEXT = `Explore this data:
${commandList([
  ["pipeline serve", "SQL console in the browser"],
  ["pipeline follow", "one session through all layers"],
  ["pipeline prove", "reconcile every message"],
])}`;

/** Page events per second on a small machine, from generation to report. */
const SPEED = 25_000;
const LONG_SECONDS = 120;

/** Prints time and disk of a long history, and asks before it replaces an earlier one. @throws UserError without consent */
async function announceLong(
  { days, rate, database }: DemoOptions,
  config: GeneratorConfig,
): Promise<void> {
  const events = days * 1440 * rate;
  const seconds = events / SPEED;
  if (seconds < LONG_SECONDS) return;
  const { bytes } = estimateSize(config, config.t0, config.tEnd ?? config.t0);
  process.stderr.write(
    `warning: about ${formatCount(Math.round(events / 1e6))} million page events, about ${formatCount(Math.round(seconds / 60))} minutes on a small machine and ${formatCount(Math.ceil(bytes / 1e9))} GB of disk. Press Ctrl+C to stop. hint: --days 30 (DAYS=30) takes less\n`,
  );
  const refusal = new UserError(
    `${shortPath(database)} holds data, which this history would replace. Nothing was deleted`,
    "YES=1 in the environment replaces them; --database DIR keeps them",
  );
  const question = `Replace the data in ${shortPath(database)}?`;
  await requireConsent(!holdsData(database), question, refusal);
}

export interface HistoryRun {
  /** Data directory; an earlier history in it is replaced. */
  readonly database: string;
  /** File of the report. */
  readonly report: string;
  /** Command that a hint names, which is also the source of the data. */
  readonly command: string;
  /** Starts the run again after an interruption. */
  readonly again: string;
  /** Returns the text at the end. */
  readonly next: (db: ReadableDatabase) => string;
}

/** Generates a history, loads it through all layers, reconciles it and writes a report. */
export async function runHistory(config: GeneratorConfig, run: HistoryRun): Promise<Manifest> {
  const started = performance.now();
  // The library of the charts loads while the engine starts.
  const [db, { buildReport }] = await Promise.all([
    openFresh(run.database, run.command),
    import("../report/report.ts"),
  ]);
  const release = onInterrupt(() => process.stderr.write(interrupted(run)));
  try {
    const { manifest, result: generated } = await generate(db, config, {
      name: run.command,
      command: run.command,
    });
    const steps = await transform(db, {
      fullRefresh: true,
      waitSeconds: 30,
      onStep: (step) => printLine(stepLine(step)),
    });
    const reconciliation = await timed("reconciliation", () => prove(db));
    printLine(`\n${renderReconciliation(reconciliation)}`);
    const place = placeFor(run.database);
    const input = { reconciliation, steps: [generated, ...steps], place };
    const page = await timed("report", () => buildReport(db, input));
    writeWhole(run.report, page, `--report ${run.report}`);
    printDigests(reconciliation);
    const seconds = (performance.now() - started) / 1000;
    printLine(`\nDone in ${formatSeconds(seconds)}. Open ${run.report} in a browser.`);
    printLine(run.next(db));
    requireNothingLost(reconciliation);
    requireComplete(reconciliation);
    return manifest;
  } finally {
    release();
    await db.close();
  }
}

const interrupted = ({ database, command, again }: HistoryRun): string =>
  `\nThe ${command.split(" ")[0]} was interrupted, and ${relative(process.cwd(), database)} is incomplete\n  hint: ${callable(`run \`${again}\` to start again`)}\n`;

async function timed<T>(id: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  printLine(stepLine({ id, seconds: (performance.now() - started) / 1000, report: {} }));
  return result;
}

function printDigests(reconciliation: Reconciliation): void {
  const rows = reconciliation.digests.map((line) => [line.name, line.rows, line.digest]);
  printLine(renderTable(["table", "rows", "digest"], rows));
  printLine(`manifest checksum ${reconciliation.checksum}`);
}
