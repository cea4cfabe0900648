import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { currentEpoch } from "../warehouse/ledger/feed.ts";
import { bootstrapOption, withBroker } from "./broker.ts";
import { type DatabaseOption, databaseOption } from "./options.ts";

interface StoredOptions extends DatabaseOption {
  readonly bootstrap?: string;
}

export function registerStored(program: Command): void {
  program
    .command("stored")
    .description("Wait until the database has stored everything the topics hold now")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .action(stored);
}

/** @throws UserError when the database does not read from Kafka, or its reading stands still */
async function stored({ database, bootstrap }: StoredOptions): Promise<void> {
  const { untilStored } = await import("../warehouse/loader/delivery.ts");
  const { syncSources } = await import("../warehouse/ledger/broker-sources.ts");
  await withBroker(bootstrap, database, async ({ admin, database: db }) => {
    if (!db) throw new UserError("No database is named.", "set CLICKHOUSE_URL");
    // Registers the epoch of the topics, without which its rows would not count.
    await syncSources(db, admin);
    const progress = startProgress("storing");
    const say = (rows: number) => progress.update(Number.NaN, `${formatCount(rows)} rows`);
    if (!(await untilStored(db, admin, await currentEpoch(db), say))) {
      throw new UserError(
        "The database does not read from Kafka.",
        "make ddl and make topics (in the scheduler: run the DAG ddl_init)",
      );
    }
    progress.done("all of it is in stg");
  });
}
