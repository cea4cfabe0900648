import type { Command } from "commander";
import { callable } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { STREAMS } from "../contract/streams.ts";
import { parseMicros } from "../contract/time.ts";
import { parseConfig } from "../generator/config.ts";
import { loadDonors } from "../generator/dataset/donors.ts";
import { openDataset } from "../generator/dataset/format.ts";
import { validateDataset } from "../generator/dataset/validate.ts";
import { writeDataset } from "../generator/dataset/write.ts";
import { formatCount, formatNumber } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import type { LineCounts, LineReport } from "../warehouse/loader/check.ts";
import { expectedOf } from "../warehouse/loader/load.ts";
import { jsonOption } from "./options.ts";

export function registerDataset(program: Command): void {
  const dataset = program.command("dataset").description("Write or check a stored dataset");
  dataset
    .command("write <dir>")
    .description("Generate a dataset with the GEN_* settings, up to GEN_MODEL_T_END")
    .addHelpText(
      "after",
      callable("\nExample: GEN_MODEL_T_END=2026-01-08T00:00:00Z pipeline dataset write week"),
    )
    .addOption(jsonOption())
    .action(writeCommand);
  dataset
    .command("check <dir>")
    .description("Report the lines that the pipeline rejects or marks, and wrong files")
    .option("--strict", "exit with 1 if the pipeline rejects or marks a line")
    .addOption(jsonOption())
    .action(checkCommand);
}

async function writeCommand(dir: string, { json }: { json?: true }): Promise<void> {
  const config = parseConfig({ ...process.env, GEN_RUN_MODE: "backfill" });
  const progress = startProgress("generating");
  const { manifest } = await writeDataset(dir, config, await loadDonors(config), {
    onProgress: ({ ratio, events }) => progress.update(ratio, `${formatCount(events)} page events`),
  });
  progress.done(`${formatCount(manifest.counts.browser)} browser messages`);
  if (json) return printJson(manifest);
  const days = (parseMicros(manifest.t_end) - parseMicros(manifest.t0)) / 86_400e6;
  printLine(
    `${dir}: ${formatNumber(Number(days.toFixed(2)), "model day")}, checksum ${manifest.checksum}`,
  );
}

interface CheckOptions {
  readonly json?: true;
  readonly strict?: true;
}

async function checkCommand(dir: string, { json, strict }: CheckOptions): Promise<void> {
  const { problems } = await validateDataset(dir);
  if (problems.length > 0) {
    if (json) printJson({ problems });
    else for (const problem of problems) printLine(`  ${problem}`);
    throw new UserError(
      `${dir} differs from its manifest or has unreadable files`,
      "restore the files, write the dataset again, or remove its manifest.json",
    );
  }
  const report = await judge(dir);
  if (json) printJson({ problems, ...report });
  else printReport(report);
  const wrong = STREAMS.reduce((sum, stream) => sum + errorsOf(report.streams[stream]), 0);
  if (strict && wrong > 0) {
    throw new UserError(
      `${dir} has ${formatNumber(wrong, "rejected or marked line")}; --strict allows none`,
      "correct the listed lines, or check without --strict",
    );
  }
}

async function judge(dir: string): Promise<LineReport> {
  // This import is dynamic, because installations without the local engine also load datasets.
  const { checkLines } = await import("../warehouse/loader/check.ts");
  const progress = startProgress("checking");
  const dataset = await openDataset(dir);
  try {
    return await checkLines(dataset, (count) =>
      progress.update(count / expectedOf(dataset), `${formatCount(count)} lines`),
    );
  } finally {
    progress.stop();
  }
}

const errorsOf = ({ rejected, marked }: LineCounts): number => rejected + marked;

function printReport({ streams, found }: LineReport): void {
  for (const stream of STREAMS) {
    const { typed, rejected, marked } = streams[stream];
    const counts = [`${formatCount(typed)} typed (${formatCount(marked)} marked)`];
    counts.push(`${formatCount(rejected)} rejected`);
    printLine(
      `  ${stream.padEnd(10)} ${formatNumber(typed + rejected, "line")}: ${counts.join(", ")}`,
    );
  }
  for (const { file, line, verdict, reason } of found) {
    printLine(`  ${file}:${line}: ${verdict}: ${reason}`);
  }
  const hidden = STREAMS.reduce((n, stream) => n + errorsOf(streams[stream]), 0) - found.length;
  if (hidden > 0) printLine(`  … and ${formatNumber(hidden, "more line")}`);
}
