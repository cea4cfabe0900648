import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { databaseOf, hintToRun } from "../warehouse/database/command.ts";
import { rebuild } from "../warehouse/reconciliation/findings.ts";
import { REBUILDABLE, rebuildLayer } from "../warehouse/reconciliation/rebuild.ts";
import { applyDdl } from "../warehouse/schema/ddl.ts";
import { type Difference, findDifferences } from "../warehouse/schema/differences.ts";
import type { Tier } from "../warehouse/sql.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  tierOption,
  withDatabase,
} from "./options.ts";

interface DdlOptions extends DatabaseOption {
  readonly verify?: true;
  readonly rebuild?: (typeof REBUILDABLE)[number];
  readonly yes?: true;
  readonly tier: Tier;
  readonly json?: true;
}

export function registerDdl(program: Command): void {
  program
    .command("ddl")
    .description("Create the databases and tables from 00_databases to 40_dm")
    .addOption(databaseOption())
    .addOption(
      tierOption(
        "`broker` adds tables that read from Kafka, `service` the tables of `pipeline ingest`",
      ),
    )
    .option("--verify", "change nothing; fail on missing or different objects")
    .addOption(
      new Option("--rebuild <layer>", "drop and create a derived layer and the layers above")
        .choices(REBUILDABLE)
        .conflicts("verify"),
    )
    .option("--yes", "confirm the loss of rows that exist only in ods; same as YES=1")
    .addOption(jsonOption())
    .action(ddl);
}

async function ddl(options: DdlOptions): Promise<void> {
  await withDatabase(
    options,
    async (db) => {
      if (options.rebuild) await rebuildLayer(db, options.rebuild, options.yes);
      const applied = options.verify ? undefined : await applyDdl(db, options.tier);
      const differences = await findDifferences(db, options.tier);
      if (options.json) printJson({ applied, differences });
      else for (const { object, what } of differences) printLine(`  ${object}: ${what}`);
      if (differences.length > 0) {
        throw new UserError(
          `${differences.length} objects of ${db.label} differ from sql/ddl`,
          options.verify ? hintToRun(db, "ddl") : rebuildHint(db, differences),
        );
      }
      if (!options.json) {
        printLine(
          options.verify
            ? "The schema is as declared."
            : `Schema ready: ${applied?.created ?? 0} objects created, ${applied?.replaced ?? 0} views replaced.`,
        );
      }
    },
    options.verify ? "read" : "write",
  );
}

/** Returns the hint; stg is never dropped, because its rows cannot be recomputed. */
function rebuildHint(db: Database, differences: readonly Difference[]): string {
  const raw = differences.map(({ object }) => object).filter((name) => name.startsWith("stg."));
  const hint = rebuild("LAYER", databaseOf(db));
  if (raw.length === 0) return hint;
  return `ALTER ${raw.join(", ")} to match sql/ddl/10_stg; for the other layers ${hint}`;
}
