import type { Command } from "commander";
import { EMBEDDED_DIRECTORY } from "../database/open.ts";
import { printLine, wholeNumber } from "./options.ts";

interface ServeOptions {
  readonly data: string;
  readonly host: string;
  readonly port?: number;
  readonly metricsPort?: number;
}

export function registerServe(program: Command): void {
  program
    .command("serve")
    .description(
      "Offer the embedded engine over ClickHouse's HTTP protocol, with a SQL page at /play",
    )
    .option("--data <dir>", "data directory of the embedded engine", EMBEDDED_DIRECTORY)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--port <port>",
      "port; without it 9123, or another one when it is taken",
      wholeNumber(0, 65_535),
    )
    .option("--metrics-port <port>", "a second port for /metrics", wholeNumber(0, 65_535))
    .addHelpText(
      "after",
      "\nCLICKHOUSE_PASSWORD sets the password of the user `default`; empty by default.",
    )
    .action(serve);
}

/** Each statement under way holds a thread, also one that waits for a network. */
const THREADS = "16";

async function serve({ data, ...options }: ServeOptions): Promise<void> {
  // Read when the first thread starts, which is later than this line.
  process.env.UV_THREADPOOL_SIZE ??= THREADS;
  const { EmbeddedEngine } = await import("../../embedded/engine.ts");
  const { startHttp } = await import("../../embedded/http/server.ts");
  const engine = new EmbeddedEngine(data);
  const http = await startHttp(engine, {
    ...options,
    password: process.env.CLICKHOUSE_PASSWORD ?? "",
  });
  printLine(`${http.url} answers queries; open ${http.url}/play. Ctrl+C ends it.`);
  const stop = async () => {
    await http.close();
    await engine.close();
    process.exit(0);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}
