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
    .description("Wait until the database has stored all messages now in the topics")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .action(stored);
}

async function stored({ database, bootstrap }: StoredOptions): Promise<void> {
  const { untilStored } = await import("../warehouse/loader/delivery.ts");
  const { syncSources } = await import("../warehouse/ledger/broker-sources.ts");
  await withBroker(bootstrap, database, async ({ admin, database: db }) => {
    if (!db) throw new UserError("CLICKHOUSE_URL is not set", "set CLICKHOUSE_URL");
    // Rows of an unknown epoch do not count.
    await syncSources(db, admin);
    const progress = startProgress("storing");
    const onRows = (rows: number) => progress.update(Number.NaN, `${formatCount(rows)} rows`);
    if (!(await untilStored(db, admin, await currentEpoch(db), onRows))) {
      throw new UserError(
        "The database does not read from Kafka",
        "run make ddl and make topics (in Airflow: run the DAG ddl_init)",
      );
    }
    progress.done("everything is in stg");
  });
}
