import type { Command } from "commander";
import { formatNumber } from "../terminal/format.ts";
import { printResult } from "../terminal/print.ts";
import { type Comparison, compareTruth } from "../warehouse/history/truth.ts";
import { readExpiry } from "../warehouse/reconciliation/expiry.ts";
import {
  type DatabaseOption,
  databaseOption,
  formatOption,
  readSourcesAtBroker,
  withDatabase,
} from "./options.ts";

interface TruthOptions extends DatabaseOption {
  readonly format: string;
}

export function registerTruth(program: Command): void {
  program
    .command("truth")
    .description("Compare the ground truth of a generated history with estimates from the marts")
    .addOption(databaseOption())
    .addOption(formatOption())
    .addHelpText(
      "after",
      "\nAn interval contains the ground truth with a probability of 95 %, so a few of many are outside." +
        "\nOnly GEN_BEHAVIOUR=shop publishes a ground truth (docs/explanation/shop.md).",
    )
    .action(async ({ format, ...options }: TruthOptions) => {
      const { comparisons, table, note } = await withDatabase(options, async (db) => {
        const comparisons = await compareTruth(db, await readSourcesAtBroker(db));
        const { sessions = 0 } = (await readExpiry(db)) ?? {};
        const note =
          sessions > 0
            ? `warning: ${formatNumber(sessions, "session")} left the marts, so the history is no longer whole\n`
            : "";
        return { comparisons, table: await db.read(TABLE, format), note };
      });
      printResult(table);
      process.stderr.write(`${summary(comparisons)}\n${note}`);
    });
}

const TABLE = `SELECT effect, segment, round(row.truth, 4) AS truth, round(row.estimate, 4) AS estimate,
    round(row.low, 4) AS low, round(row.high, 4) AS high, sessions, verdict
  FROM dm.truth AS row
  ORDER BY position`;

function summary(comparisons: readonly Comparison[]): string {
  const inside = comparisons.filter(({ verdict }) => verdict === "inside").length;
  const share = Math.round((inside / comparisons.length) * 100);
  return `${inside} of ${comparisons.length} intervals contain the ground truth (${share} %; 95 % expected).`;
}
