import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { isServer } from "../warehouse/engine/workspace.ts";
import { currentEpoch } from "../warehouse/sources/epoch.ts";
import { bootstrapOption, type DatabaseOption, databaseOption, withBroker } from "./options.ts";

interface WaitOptions extends DatabaseOption {
  readonly bootstrap?: string;
}

export function registerStored(program: Command): void {
  program
    .command("stored")
    .description("Wait until the database has stored all messages now in the topics")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .action(waitForStg);
}

async function waitForStg({ database, bootstrap }: WaitOptions): Promise<void> {
  if (!isServer(database)) {
    throw new UserError(
      `The workspace ${database} does not read from Kafka`,
      "set CLICKHOUSE_URL=http://host:port to the server that does",
    );
  }
  const { waitForStorage } = await import("../warehouse/loader/wait-for-storage.ts");
  const { syncSources } = await import("../warehouse/sources/broker.ts");
  await withBroker(bootstrap, database, async ({ admin, database: db }) => {
    if (!db) return;
    // Without known sources, rows of an epoch do not count.
    await syncSources(db, admin);
    const progress = startProgress("storing");
    const onRows = (rows: number) => progress.update(Number.NaN, `${formatCount(rows)} rows`);
    if (!(await waitForStorage(db, admin, await currentEpoch(db), onRows))) {
      throw new UserError(
        "The database does not read from Kafka",
        "run make ddl and make topics (in Airflow: run the DAG ddl_init)",
      );
    }
    progress.done("stg has all messages");
  });
}
