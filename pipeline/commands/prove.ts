import type { Command } from "commander";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { renderLedger } from "../ledger/render.ts";
import { proveSettled } from "../ledger/settled.ts";
import { bootstrapOption, withBroker } from "./broker.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  withDatabase,
} from "./options.ts";

interface ProveOptions extends DatabaseOption {
  readonly bootstrap?: string;
  readonly json?: true;
}

export function registerProve(program: Command): void {
  program
    .command("prove")
    .description("Account for every event from its source to dm; fails if one is unaccounted for")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nWith a broker, what a live generator has sent is read from its state there.",
    )
    .action(async (options: ProveOptions) => {
      const ledger = await withDatabase(options, (db) => proveWith(db, options.bootstrap));
      if (options.json) printJson(ledger);
      else printLine(renderLedger(ledger));
      requireNothingLost(ledger);
    });
}

/** @throws UserError when a message is missing somewhere, or stands somewhere twice */
export function requireNothingLost({ unaccounted }: Ledger): void {
  if (unaccounted === 0) return;
  throw new UserError(
    `${unaccounted} messages are unaccounted for.`,
    "pipeline ddl --rebuild ods, then pipeline transform: loads again what stg holds (30 days)",
  );
}

/** Against the sources as the broker has them, or as the database keeps them. */
export async function proveWith(db: Database, bootstrap: string | undefined): Promise<Ledger> {
  if (!bootstrap) return proveSettled(db);
  const { brokerFeed, syncSources } = await import("../ledger/broker-sources.ts");
  return withBroker(bootstrap, undefined, async ({ admin }) => {
    const epoch = await syncSources(db, admin);
    return proveSettled(db, epoch === null ? undefined : brokerFeed(admin, epoch));
  });
}
