import type { Command } from "commander";
import { renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { type ExportOptions, exportTables } from "../warehouse/keep/export.ts";
import { type DatabaseOption, databaseOption, nonEmpty, withDatabase } from "./options.ts";

export function registerExport(program: Command): void {
  program
    .command("export")
    .argument("<table...>", "tables or views, such as dm.session")
    .requiredOption("--to <dir>", "folder of the files", nonEmpty)
    .option("--by-day", "write one file per day, in a folder per table")
    .option("--replace", "replace the files of the same tables")
    .description("Write tables and views as Parquet files")
    .addOption(databaseOption())
    .action(async (tables: string[], options: DatabaseOption & ExportOptions) => {
      const exported = await withDatabase(options, (db) => exportTables(db, tables, options));
      const rows = exported.map(({ path, files, rows }) => [path, files, rows]);
      printLine(renderTable(["written", "files", "rows"], rows));
    });
}
