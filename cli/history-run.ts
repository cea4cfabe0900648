/** The whole pipeline on the embedded engine: what demo and scenario share. */
import { relative } from "node:path";
import { callable } from "../contract/command-call.ts";
import { writeWhole } from "../contract/files.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Database, ReadableDatabase } from "../contract/ports.ts";
import { emptyStatement, statementOf } from "../contract/statement.ts";
import { runBackfill } from "../generator/backfill.ts";
import type { GeneratorConfig } from "../generator/config.ts";
import type { StateV3 } from "../generator/model/state.ts";
import { donorPool } from "../generator/scenario/donors.ts";
import { buildReport } from "../report/report.ts";
import { formatCount, formatSeconds, renderTable } from "../terminal/format.ts";
import { onInterrupt } from "../terminal/process.ts";
import { startProgress } from "../terminal/progress.ts";
import type { StepResult } from "../warehouse/batch/run-step.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { totalOf } from "../warehouse/loader/load.ts";
import { DEMO_SOURCE } from "../warehouse/reconciliation/interrupted-load.ts";
import { currentEpoch, prove } from "../warehouse/reconciliation/prove.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../warehouse/reconciliation/render.ts";
import { storeSource } from "../warehouse/reconciliation/source.ts";
import { stepLine } from "./batch.ts";
import { openFresh } from "./demo-workspace.ts";
import { printLine } from "./options.ts";
import { requireComplete, requireNothingLost } from "./prove.ts";

export interface HistoryRun {
  /** Data directory; an earlier history in it is replaced. */
  readonly database: string;
  /** File of the report. */
  readonly report: string;
  /** Command that a hint names. */
  readonly command: string;
  /** Starts the run again after an interruption. */
  readonly again: string;
  /** Returns the text at the end. */
  readonly next: (db: ReadableDatabase) => string;
}

/** Generates a history, loads it through all layers, reconciles it and writes a report. */
export async function runHistory(config: GeneratorConfig, run: HistoryRun): Promise<void> {
  const started = performance.now();
  const db = await openFresh(run.database, run.command);
  const release = onInterrupt(() => process.stderr.write(interrupted(run)));
  try {
    const { manifest, result: generated } = await generate(db, config);
    const steps = await transform(db, {
      fullRefresh: true,
      waitSeconds: 30,
      onStep: (step) => printLine(stepLine(step)),
    });
    const reconciliation = await timed("reconciliation", () => prove(db));
    printLine(`\n${renderReconciliation(reconciliation)}`);
    const database = relative(process.cwd(), run.database);
    const input = { reconciliation, manifest, config, steps: [generated, ...steps], database };
    const page = await timed("report", () => buildReport(db, input));
    writeWhole(run.report, page, `--report ${run.report}`);
    printDigests(reconciliation);
    const seconds = (performance.now() - started) / 1000;
    printLine(`\nDone in ${formatSeconds(seconds)}. Open ${run.report} in a browser.`);
    printLine(run.next(db));
    requireNothingLost(reconciliation);
    requireComplete(reconciliation);
  } finally {
    release();
    await db.close();
  }
}

const interrupted = ({ database, command, again }: HistoryRun): string =>
  `\nThe ${command.split(" ")[0]} was interrupted, and ${relative(process.cwd(), database)} is incomplete\n  hint: ${callable(`run \`${again}\` to start again`)}\n`;

/** Generates a history into stg, and stores its manifest last. */
export async function generate(
  db: Database,
  config: GeneratorConfig,
): Promise<{ manifest: Manifest; state: StateV3; result: StepResult }> {
  const started = performance.now();
  const { StgPublisher } = await import("../embedded/stg-publisher.ts");
  const publisher = await StgPublisher.open(db);
  const epoch = await currentEpoch(db);
  const begun = { name: DEMO_SOURCE, statement: emptyStatement(), manifest: undefined };
  await storeSource(db, epoch, { ...begun, isFinal: false });
  const progress = startProgress("  generate");
  const donors = donorPool(config);
  const { manifest, state } = await runBackfill(config, donors, publisher, {
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
      `  ${formatCount(manifest.unborn)} sessions rejected at the limits GEN_MAX_ACTIVE_SESSIONS and GEN_POPULATION_MAX`,
    );
  }
  return { manifest, state, result };
}

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
