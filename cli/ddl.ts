import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import type { Tier } from "../warehouse/ddl-files.ts";
import { REBUILDABLE, rebuildLayer } from "../warehouse/reconciliation/rebuild.ts";
import { applyDdl } from "../warehouse/schema/ddl.ts";
import { findDifferences } from "../warehouse/schema/differences.ts";
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
          options.verify
            ? hintToRun(db, "ddl")
            : "record what the files of sql/ddl create: npm run record-schema",
        );
      }
      if (!options.json) {
        printLine(
          options.verify
            ? "The schema is as declared."
            : `Schema ready: ${applied?.created ?? 0} objects created, ${applied?.replaced ?? 0} views replaced, ${applied?.changed ?? 0} tables changed.`,
        );
      }
    },
    options.verify ? "read" : "write",
  );
}
