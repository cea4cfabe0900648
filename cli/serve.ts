import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import { printLine } from "../terminal/print.ts";
import { isServer, lastWorkspace, requireWorkspace } from "../warehouse/database/workspace.ts";
import { nonEmpty, wholeNumber } from "./options.ts";

interface ServeOptions {
  readonly database: string;
  readonly host: string;
  readonly port?: number;
  readonly metricsPort?: number;
}

export function registerServe(program: Command): void {
  program
    .command("serve")
    .description(
      "Serve the embedded engine over ClickHouse's HTTP protocol, with a SQL console at /play",
    )
    .addOption(
      new Option("--database <dir>", "data directory of the embedded engine; created if missing")
        .argParser(nonEmpty)
        .default(lastWorkspace(), "the last used workspace"),
    )
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--port <port>",
      "port; default: 9133, or another one if it is in use",
      wholeNumber(0, 65_535),
    )
    .option("--metrics-port <port>", "second port, only for /metrics", wholeNumber(0, 65_535))
    .addHelpText(
      "after",
      "\nCLICKHOUSE_PASSWORD is the password of the user `default`; default: empty.",
    )
    .action(serve);
}

/** Number of threads: each running statement occupies one, even while it waits for the network. */
const THREADS = "16";

async function serve(
  { database: directory, ...options }: ServeOptions,
  command: Command,
): Promise<void> {
  process.env.UV_THREADPOOL_SIZE ??= THREADS;
  const { writeServerAddress, readServerAddress, removeServerAddress } = await import(
    "../embedded/server-address.ts"
  );
  requireFree(directory, readServerAddress(directory));
  if (command.getOptionValueSource("database") === "default") requireWorkspace(directory);
  const { EmbeddedEngine } = await import("../embedded/engine.ts");
  const { startHttp } = await import("../embedded/http/server.ts");
  const engine = new EmbeddedEngine(directory);
  const http = await startHttp(engine, {
    ...options,
    password: process.env.CLICKHOUSE_PASSWORD ?? "",
  });
  writeServerAddress(directory, http.url);
  printLine(
    `${http.url} answers queries on ${directory}; open ${http.url}/play. Press Ctrl+C to stop.`,
  );
  const stop = async () => {
    removeServerAddress(directory);
    await http.close();
    await engine.close();
    process.exit(0);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function requireFree(directory: string, url: string | undefined): void {
  if (isServer(directory)) {
    throw new UserError(
      `--database ${directory} is an address; serve needs the data directory of an embedded engine`,
      "set --database DIR",
    );
  }
  if (url === undefined) return;
  throw new UserError(`${directory} is already served at ${url}`, `open ${url}/play`);
}
