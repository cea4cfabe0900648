import type { Command } from "commander";
import { UserError } from "../../contract/errors.ts";
import { prove } from "../ledger/prove.ts";
import { renderLedger } from "../ledger/render.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  withDatabase,
} from "./options.ts";

export function registerProve(program: Command): void {
  program
    .command("prove")
    .description("Account for every event from its source to dm; fails if one is unaccounted for")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(async (options: DatabaseOption & { json?: true }) => {
      const ledger = await withDatabase(options, prove);
      if (options.json) printJson(ledger);
      else printLine(renderLedger(ledger));
      if (ledger.unaccounted > 0) {
        throw new UserError(
          `${ledger.unaccounted} messages are unaccounted for.`,
          "pipeline transform, then pipeline prove; pipeline follow --click ID shows one visit",
        );
      }
    });
}
