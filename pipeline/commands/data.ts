import { join } from "node:path";
import type { Command } from "commander";
import { UserError } from "../../contract/errors.ts";
import { addStatements, type Statement } from "../../contract/statement.ts";
import { parseMicros } from "../../contract/time.ts";
import { parseConfig } from "../../generator/config.ts";
import { loadDonors } from "../../generator/dataset/donors.ts";
import { type Dataset, openDataset } from "../../generator/dataset/format.ts";
import { validateDataset } from "../../generator/dataset/validate.ts";
import { writeDataset } from "../../generator/dataset/write.ts";
import { currentEpoch } from "../ledger/prove.ts";
import { readSources, storeSource } from "../ledger/source.ts";
import { loadDataset, totalOf, verifyStored } from "../loader/load.ts";
import { formatCount, formatSeconds } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  wholeNumber,
  withDatabase,
} from "./options.ts";

export const SAMPLE_DATASET = join(import.meta.dirname, "../../data/sample");

interface DataOptions extends DatabaseOption {
  readonly dataset: string;
  readonly limit: number;
  readonly reset: boolean;
}

export function registerData(program: Command): void {
  program
    .command("data")
    .description("Load a stored data set into the pipeline")
    .addOption(databaseOption())
    .option("--dataset <dir>", "folder of the data set", SAMPLE_DATASET)
    .option(
      "--limit <rows>",
      "browser rows to load with their visits; 0 means all",
      wholeNumber(0),
      0,
    )
    .option("--no-reset", "append to what is there instead of starting a new epoch")
    .action(loadCommand);

  const dataset = program.command("dataset").description("Write or check a stored data set");
  dataset
    .command("write <dir>")
    .description("Generate a data set; GEN_* variables shape it, GEN_MODEL_T_END ends it")
    .addHelpText(
      "after",
      "\nExample: GEN_MODEL_T_END=2026-01-08T00:00:00Z pipeline dataset write week",
    )
    .action(writeCommand);
  dataset
    .command("check <dir>")
    .description("Report broken lines and differences from the manifest")
    .addOption(jsonOption())
    .action(checkCommand);
}

async function loadCommand(options: DataOptions): Promise<void> {
  const started = performance.now();
  const dataset = await openDataset(options.dataset);
  const sent = await withDatabase(options, async (db) => {
    const { StgPublisher, startEpoch } = await import("../../embedded/stg-publisher.ts");
    if (options.reset) await startEpoch(db, "pipeline data");
    const publisher = await StgPublisher.open(db);
    const progress = startProgress("loading");
    const statement = await loadDataset(dataset, publisher, {
      limit: options.limit,
      onProgress: (count) => progress.update(count / expectedOf(dataset), formatCount(count)),
    });
    progress.done(`${formatCount(totalOf(statement))} messages`);
    const epoch = await currentEpoch(db);
    const former = (await readSources(db, epoch)).map((source) => source.statement);
    await verifyStored(db, epoch, addStatements([...former, statement]));
    const isComplete = options.limit === 0 && former.length === 0;
    const manifest = isComplete ? dataset.manifest?.manifest : undefined;
    await storeSource(db, epoch, { name: `load ${new Date().toISOString()}`, statement, manifest });
    return statement;
  });
  reportLoad(sent, (performance.now() - started) / 1000);
}

/** Lines of the whole set, for the progress bar: a guess where there is no manifest. */
const expectedOf = ({ manifest }: Dataset): number =>
  manifest ? totalOf({ counts: manifest.manifest.counts, days: {} }) : Number.POSITIVE_INFINITY;

function reportLoad(statement: Statement, seconds: number): void {
  for (const [stream, count] of Object.entries(statement.counts)) {
    printLine(`  ${stream.padEnd(10)} ${formatCount(count).padStart(12)}`);
  }
  const rate = Math.round(totalOf(statement) / seconds);
  printLine(
    `loaded in ${formatSeconds(seconds)} (${formatCount(rate)} messages/s). Next: make transform`,
  );
}

async function writeCommand(dir: string): Promise<void> {
  const config = parseConfig({ ...process.env, GEN_RUN_MODE: "backfill" });
  const progress = startProgress("generating");
  const { manifest } = await writeDataset(dir, config, await loadDonors(config), {
    onProgress: ({ ratio, events }) => progress.update(ratio, `${formatCount(events)} page events`),
  });
  progress.done(`${formatCount(manifest.counts.browser)} browser messages`);
  const days = (parseMicros(manifest.t_end) - parseMicros(manifest.t0)) / 86_400e6;
  printLine(`${dir}: ${days} model days, checksum ${manifest.checksum}`);
}

async function checkCommand(dir: string, { json }: { json?: true }): Promise<void> {
  const report = await validateDataset(dir);
  if (json) printJson(report);
  else {
    for (const [stream, count] of Object.entries(report.ok)) {
      const broken = report.broken[stream as keyof typeof report.broken];
      printLine(
        `  ${stream.padEnd(10)} ${formatCount(count)} lines, ${formatCount(broken)} broken`,
      );
    }
    for (const line of report.brokenLines) {
      printLine(`  ${line.file}:${line.line}: ${line.reason}`);
    }
    for (const problem of report.problems) printLine(`  ${problem}`);
  }
  if (report.problems.length > 0) {
    throw new UserError(
      `${dir} is not what its manifest says.`,
      "write it anew, or remove its manifest.json",
    );
  }
}
