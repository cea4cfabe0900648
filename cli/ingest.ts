import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import { bootstrapOption, connectionTo } from "./broker.ts";
import { nonEmpty, wholeNumber } from "./options.ts";

interface IngestCommandOptions {
  readonly bootstrap?: string;
  readonly database?: string;
  readonly batchRows: number;
  readonly batchBytes: number;
  readonly batchMs: number;
  readonly host: string;
  readonly port: number;
}

export function registerIngest(program: Command): void {
  program
    .command("ingest")
    .description("Store the event topics in stg, for a ClickHouse server without the Kafka engine")
    .addOption(bootstrapOption())
    .addOption(
      new Option("--database <url>", "ClickHouse server with the schema of `ddl --tier service`")
        .env("CLICKHOUSE_URL")
        .argParser(nonEmpty),
    )
    .addOption(number("--batch-rows <n>", "rows per batch", "INGEST_BATCH_ROWS", 100_000, 1))
    .addOption(
      number("--batch-bytes <n>", "bytes per batch", "INGEST_BATCH_BYTES", 8 * 1024 * 1024, 1),
    )
    .addOption(
      number("--batch-ms <n>", "milliseconds until a batch ends", "INGEST_BATCH_MS", 3_000, 1),
    )
    .addOption(
      new Option("--host <address>", "address of /metrics and /healthz")
        .env("INGEST_HTTP_HOST")
        .default("0.0.0.0"),
    )
    .addOption(
      number("--port <n>", "port of /metrics and /healthz; 0: any", "INGEST_HTTP_PORT", 9110, 0),
    )
    .action(ingest);
}

const number = (flags: string, about: string, variable: string, value: number, min: number) =>
  new Option(flags, about).env(variable).argParser(wholeNumber(min)).default(value);

async function ingest(options: IngestCommandOptions): Promise<void> {
  const { bootstrap, database, batchRows: rows, batchBytes: bytes, batchMs: ms } = options;
  const { openServer } = await import("../warehouse/database/open.ts");
  const { runIngest } = await import("../warehouse/ingest/service.ts");
  const { openLog } = await import("../generator/service/log.ts");
  if (database === undefined) {
    throw new UserError(
      "Neither --database nor CLICKHOUSE_URL is set",
      "set CLICKHOUSE_URL=http://HOST:PORT",
    );
  }
  const connection = connectionTo(bootstrap);
  const db = openServer(database);
  const log = openLog();
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      log.info(`${name}: stopping after the current batch`);
      stop.abort();
    });
  }
  try {
    await runIngest({
      ...options,
      connection,
      db,
      log,
      limits: { rows, bytes, ms },
      signal: stop.signal,
    });
  } finally {
    await db.close();
  }
  // The Kafka client may still have a timer of a membership that it lost.
  process.exit(0);
}
