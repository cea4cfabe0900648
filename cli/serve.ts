import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { relative } from "node:path";
import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import { printLine } from "../terminal/print.ts";
import { READER, WRITER } from "../warehouse/engine/configuration.ts";
import { type Engine, holdEngine, holdRunningEngine } from "../warehouse/engine/engine.ts";
import { engineFolder, passwordFile } from "../warehouse/engine/record.ts";
import {
  isServer,
  lastWorkspace,
  requireWorkspace,
  shortPath,
} from "../warehouse/engine/workspace.ts";
import { type DatabaseOption, nonEmpty, wholeNumber } from "./options.ts";
import { pagePort } from "./page-port.ts";

interface ServeOptions extends DatabaseOption {
  readonly port?: number;
  readonly nativePort?: number;
}

const PORT = 9133;
const NATIVE_PORT = 9134;

export function registerServe(program: Command): void {
  program
    .command("serve")
    .description("Serve a workspace: ClickHouse's HTTP and native protocol, and a SQL page")
    .addOption(
      new Option("--database <dir>", "data directory; created if missing")
        .argParser(nonEmpty)
        .default(lastWorkspace(), "the last used workspace"),
    )
    .option(
      "--port <port>",
      `port of HTTP; default: ${PORT}, or another one if it is in use`,
      pagePort(0),
    )
    .option(
      "--native-port <port>",
      `port of the native protocol; default: ${NATIVE_PORT}, or another one if it is in use`,
      wholeNumber(0, 65_535),
    )
    .addHelpText(
      "after",
      "\nThe user `reader` may only read, also files of your account. The user `writer` may do everything.",
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const { database: directory, isUnnamed, port, nativePort } = options;
  if (isServer(directory)) {
    throw new UserError(
      `--database ${directory} is an address; serve needs the directory of a workspace`,
      "set --database DIR",
    );
  }
  if (isUnnamed) requireWorkspace(directory);
  const engine =
    (await holdRunningEngine(directory)) ??
    (await holdEngine(directory, {
      httpPort: port ?? (await freePort(PORT)),
      tcpPort: nativePort ?? (await freePort(NATIVE_PORT)),
    }));
  requirePort(directory, engine.httpPort, "--port", port);
  requirePort(directory, engine.tcpPort, "--native-port", nativePort);
  report(directory, engine);
  const ended = engine.untilEnd().then(() => true);
  const signals = ["SIGINT", "SIGTERM"].map((name) => once(process, name));
  if (await Promise.race([ended, ...signals.map((signal) => signal.then(() => false))])) {
    if (existsSync(engineFolder(directory))) {
      throw new UserError(`The engine of ${directory} has ended`, "run the command again");
    }
    throw new UserError(
      `The workspace ${directory} was deleted, so its engine has ended`,
      "run make demo to generate a history, then serve it again",
    );
  }
  await engine.release();
  printLine("\nStopped. The data stay.");
  process.exit(0);
}

/** @throws UserError if a running engine has another port than the wanted one; 0 means any */
function requirePort(directory: string, port: number, option: string, wanted = 0): void {
  if (wanted === 0 || wanted === port) return;
  throw new UserError(
    `${option} ${wanted}: the engine of ${directory} runs already, on port ${port}`,
    `end the commands that use it, or leave out ${option}`,
  );
}

/** Returns the port if it is free, else 0, which means any. */
async function freePort(port: number): Promise<number> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
    return port;
  } catch {
    process.stderr.write(`warning: port ${port} is in use; another one is used instead\n`);
    return 0;
  } finally {
    probe.close();
  }
}

function report(directory: string, { httpPort, tcpPort, readerPassword }: Engine): void {
  const url = `http://127.0.0.1:${httpPort}`;
  const fileOf = (user: string) => relative(process.cwd(), passwordFile(directory, user));
  printLine(
    `Serving ${shortPath(directory)}. Press Ctrl+C to stop.
  SQL page          ${url}/play?password=${readerPassword}
  HTTP              ${url}
  native protocol   127.0.0.1:${tcpPort}
  reads             as the user reader, with the password in ${fileOf(READER)}
  writes            as the user writer, with the password in ${fileOf(WRITER)}`,
  );
}
