import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { requireConsent } from "../terminal/confirm.ts";
import { formatCount, formatNumber, renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { loadNew } from "../warehouse/batch/transform.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import {
  type Expiring,
  type Kept,
  previewExpiry,
  readKept,
  requireOrder,
  setKept,
} from "../warehouse/keep/retain.ts";
import { ensureSchema } from "../warehouse/schema/ddl.ts";
import { type DatabaseOption, databaseOption, wholeNumber, withDatabase } from "./options.ts";

interface RetainOptions extends DatabaseOption {
  readonly ods?: number;
  readonly marts?: number;
  readonly dryRun?: true;
  readonly later?: true;
  readonly yes?: true;
}

const MAX_DAYS = 36_500;

export function registerRetain(program: Command): void {
  const days = wholeNumber(0, MAX_DAYS);
  program
    .command("retain")
    .description(
      "Set how long layers keep a session after its last message, and drop what is older",
    )
    .addOption(databaseOption())
    .option("--ods <days>", "days that ods keeps its messages; 0: for ever", days)
    .option(
      "--marts <days>",
      "days that dds and dm keep it, at least those of ods; 0: for ever",
      days,
    )
    .option("--dry-run", "count what would be dropped today; change nothing")
    .option("--later", "only set the days; the next load drops")
    .option("--yes", "confirm; same as YES=1. Without it, a terminal is asked")
    .action(retain);
}

async function retain(options: RetainOptions): Promise<void> {
  await withDatabase(options, async (db) => {
    await ensureSchema(db);
    const present = await readKept(db);
    const kept = { ods: options.ods ?? present.ods, dm: options.marts ?? present.dm };
    requireOrder(kept);
    if (options.later) return setKept(db, kept);
    const expiring = await previewExpiry(db, kept);
    printLine(previewText(kept, expiring));
    if (options.dryRun) return;
    const agrees = options.yes || expiring.tables.length === 0;
    await requireConsent(agrees, `Drop these rows of ${db.label} for ever?`, refusal(db, kept));
    // Nothing leaves ods before dds has it.
    await loadNew(db);
    await setKept(db, kept);
    await loadNew(db);
    if (kept.ods > 0) printLine("Done. Each load drops what has become older, once a day.");
  });
}

const daysText = (days: number): string => (days === 0 ? "everything" : formatNumber(days, "day"));

const previewText = (kept: Kept, { tables, sessions }: Expiring): string =>
  [
    `ods keeps ${daysText(kept.ods)}, dds and dm ${daysText(kept.dm)}.`,
    tables.length === 0
      ? "Nothing is older."
      : renderTable(
          ["table", "rows to drop"],
          tables.map(({ table, rows }) => [table, rows]),
        ),
    ...(sessions > 0 ? [`${formatCount(sessions)} sessions leave ods.`] : []),
  ].join("\n");

const refusal = (db: Database, { ods, dm }: Kept): UserError =>
  new UserError(
    "Nothing was changed",
    `to drop these rows for ever, ${hintToRun(db, `retain --ods ${ods} --marts ${dm} --yes`, "YES=1 make retain")}`,
  );
