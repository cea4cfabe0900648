import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { parseMicros } from "../contract/time.ts";
import { parseConfig } from "../generator/config.ts";
import { loadDonors } from "../generator/dataset/donors.ts";
import { validateDataset } from "../generator/dataset/validate.ts";
import { writeDataset } from "../generator/dataset/write.ts";
import { formatCount, formatNumber } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { jsonOption, printJson, printLine } from "./options.ts";

export function registerDataset(program: Command): void {
  const dataset = program.command("dataset").description("Write or check a stored data set");
  dataset
    .command("write <dir>")
    .description("Generate a data set with the GEN_* settings, up to GEN_MODEL_T_END")
    .addHelpText(
      "after",
      "\nExample: GEN_MODEL_T_END=2026-01-08T00:00:00Z pipeline dataset write week",
    )
    .addOption(jsonOption())
    .action(writeCommand);
  dataset
    .command("check <dir>")
    .description("Report broken lines and differences from the manifest")
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
      `${dir} differs from its manifest`,
      "write the data set again, or remove its manifest.json",
    );
  }
}
