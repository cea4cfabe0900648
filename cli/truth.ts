import type { Command } from "commander";
import type { ReadableDatabase } from "../contract/ports.ts";
import { type Comparison, compareTruth } from "../warehouse/truth/compare.ts";
import { readSourcesAtBroker } from "./broker.ts";
import { type DatabaseOption, databaseOption, formatOption, withDatabase } from "./options.ts";

interface TruthOptions extends DatabaseOption {
  readonly format: string;
}

export function registerTruth(program: Command): void {
  program
    .command("truth")
    .description("Compare what is true in a generated history with estimates from the marts")
    .addOption(databaseOption())
    .addOption(formatOption())
    .addHelpText(
      "after",
      "\nAn interval contains the truth with a probability of 95 %, so a few of many are outside." +
        "\nOnly GEN_BEHAVIOUR=shop publishes a truth (docs/explanation/shop.md).",
    )
    .action(async ({ format, ...options }: TruthOptions) => {
      const { comparisons, table } = await withDatabase(options, async (db) => {
        const comparisons = await compareTruth(db, await readSourcesAtBroker(db));
        return { comparisons, table: await tableOf(db, comparisons, format) };
      });
      process.stdout.write(table);
      process.stderr.write(`${summary(comparisons)}\n`);
    });
}

/** Names and ClickHouse types of the columns, in order. */
const COLUMNS = {
  effect: "String",
  segment: "String",
  truth: "Float64",
  estimate: "Float64",
  low: "Float64",
  high: "Float64",
  of: "UInt64",
  verdict: "String",
} as const satisfies Record<keyof Comparison, string>;

/** Lets ClickHouse print the rows, so that every format of `query` is available. */
function tableOf(db: ReadableDatabase, rows: readonly Comparison[], format: string) {
  const names = Object.keys(COLUMNS) as (keyof Comparison)[];
  const types = names.map((name) => `${name} ${COLUMNS[name]}`).join(", ");
  const columns = names.map((name) =>
    COLUMNS[name] === "Float64" ? `round(row.${name}, 4) AS ${name}` : `row.${name} AS ${name}`,
  );
  const json = JSON.stringify(rows).replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return db.read(
    `SELECT ${columns.join(", ")} FROM (SELECT arrayJoin(JSONExtract('${json}', 'Array(Tuple(${types}))')) AS row)`,
    format,
  );
}

function summary(comparisons: readonly Comparison[]): string {
  const inside = comparisons.filter(({ verdict }) => verdict === "inside").length;
  const share = Math.round((inside / comparisons.length) * 100);
  return `${inside} of ${comparisons.length} intervals contain the truth (${share} %; 95 % expected).`;
}
