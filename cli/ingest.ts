import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import type { ServiceOptions } from "../warehouse/ingest/service.ts";
import { bootstrapOption, connectionTo, nonEmpty, wholeNumber } from "./options.ts";

type IngestCommandOptions = Pick<ServiceOptions, "batchMs" | "port"> & {
  readonly bootstrap?: string;
  readonly database?: string;
};

export function registerIngest(program: Command): void {
  const number = (flags: string, about: string, variable: string, value: number, min: number) =>
    new Option(flags, about).env(variable).argParser(wholeNumber(min)).default(value);
  program
    .command("ingest")
    .description("Store the event topics in stg, for a ClickHouse server without the Kafka engine")
    .addOption(bootstrapOption())
    .addOption(
      new Option("--database <url>", "ClickHouse server with the schema of `ddl --tier service`")
        .env("CLICKHOUSE_URL")
        .argParser(nonEmpty),
    )
    .addOption(number("--batch-ms <n>", "milliseconds per batch", "INGEST_BATCH_MS", 3_000, 1))
    .addOption(number("--port <n>", "for /metrics, /healthz; 0: any", "INGEST_HTTP_PORT", 9110, 0))
    .action(ingest);
}

async function ingest({ bootstrap, database, ...options }: IngestCommandOptions): Promise<void> {
  const { openServer } = await import("../warehouse/database/open.ts");
  const { runIngest } = await import("../warehouse/ingest/service.ts");
  const { openLog } = await import("../generator/service/log.ts");
  if (database === undefined) {
    throw new UserError(
      "Neither --database nor CLICKHOUSE_URL is set",
      "set CLICKHOUSE_URL=http://HOST:PORT",
    );
  }
  const [connection, db, log] = [connectionTo(bootstrap), openServer(database), openLog()];
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"]) {
    // A second signal ends the process at once.
    process.once(name, () => {
      log.info(`${name}: stopping after the current batch`);
      stop.abort();
    });
  }
  await runIngest({ ...options, connection, db, log, signal: stop.signal });
  // The Kafka client may still have a timer of a membership that it lost.
  process.exit(0);
}
