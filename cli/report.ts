import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { requireWritable, writeWhole } from "../contract/files.ts";
import type { Database, ReadableDatabase } from "../contract/ports.ts";
import { didYouMean } from "../generator/suggestion.ts";
import { buildReport } from "../report/report.ts";
import { printLine } from "../terminal/print.ts";
import { isServer } from "../warehouse/engine/workspace.ts";
import { literal } from "../warehouse/sql.ts";
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
  readonly site?: string;
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
    .option("--site <name>", "count only this site; default: all", nonEmpty)
    .addOption(databaseOption())
    .action(report);
}

async function report(options: ReportOptions): Promise<void> {
  const { database, site, out = fileOf(database) } = options;
  requireWritable(out, `--out ${out}`);
  const page = await withDatabase({ database }, async (db) => {
    const reconciliation = await proveWith(db, process.env.KAFKA_BOOTSTRAP_SERVERS);
    const newer = await readSourcesAtBroker(db);
    const input = { reconciliation, newer, site, place: placeFor(database) };
    if (site === undefined) return buildReport(db, input);
    const ofSite = await narrowedTo(db, site);
    return buildReport(ofSite, input).finally(() => ofSite.close());
  });
  writeWhole(out, page, `--out ${out}`);
  printLine(`Open ${out} in a browser.`);
}

/** Tables of which the views compute the numbers of the report. */
const MARTS = ["dm.event_enriched", "dm.session", "dm.page_view", "dm.visitor"];

/** Opens a connection that reads one site. @throws UserError for an unknown site */
async function narrowedTo(db: ReadableDatabase, site: string): Promise<Database> {
  const rows = await db.rows<{ site: string }>(
    "SELECT DISTINCT site FROM dm.session ORDER BY site",
  );
  const sites = rows.map((row) => row.site).filter((name) => name !== "");
  if (sites.includes(site)) {
    const condition = `site = ${literal(site)}`;
    return db.narrowedBy(Object.fromEntries(MARTS.map((mart) => [mart, condition])));
  }
  throw new UserError(
    `--site ${site} has no session. Allowed: ${sites.join(", ") || "none, because no session has a site"}${didYouMean(site, sites)}`,
    "omit --site for all",
  );
}

const fileOf = (database: string): string =>
  `report-${isServer(database) ? "stack" : basename(resolve(database))}.html`;
