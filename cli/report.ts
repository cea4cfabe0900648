import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { requireWritable, writeWhole } from "../contract/files.ts";
import { buildReport } from "../report/report.ts";
import { printLine } from "../terminal/print.ts";
import { isServer } from "../warehouse/engine/workspace.ts";
import {
  type DatabaseOption,
  databaseOption,
  nonEmpty,
  placeFor,
  readSourcesAtBroker,
  withDatabase,
} from "./options.ts";
import { proveWith } from "./prove.ts";

interface ReportOptions extends DatabaseOption {
  readonly out?: string;
}

export function registerReport(program: Command): void {
  program
    .command("report")
    .description("Write a page with charts of a workspace: generated, loaded or imported data")
    .option(
      "--out <file>",
      "file of the page; default: report-NAME.html, of the workspace",
      nonEmpty,
    )
    .addOption(databaseOption())
    .action(report);
}

async function report({ database, out = fileOf(database) }: ReportOptions): Promise<void> {
  requireWritable(out, `--out ${out}`);
  const page = await withDatabase({ database }, async (db) => {
    const reconciliation = await proveWith(db, process.env.KAFKA_BOOTSTRAP_SERVERS);
    const newer = await readSourcesAtBroker(db);
    return buildReport(db, { reconciliation, newer, place: placeFor(database) });
  });
  writeWhole(out, page, `--out ${out}`);
  printLine(`Open ${out} in a browser.`);
}

const fileOf = (database: string): string =>
  `report-${isServer(database) ? "stack" : basename(resolve(database))}.html`;
