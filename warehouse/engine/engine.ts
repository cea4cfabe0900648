import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as startRequest } from "node:http";
import { join, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";
import { makeFolder, requireWritable } from "../../contract/files.ts";
import { READER, WRITER } from "./configuration.ts";
import { findLibrary } from "./library.ts";
import { engineFolder, type Launch, readPassword, readRecord } from "./record.ts";

/** The running engine of a workspace, which this process holds. */
export interface Engine {
  /** Process of the engine. */
  readonly pid: number;
  readonly httpPort: number;
  readonly tcpPort: number;
  /** Password of the user `writer`. */
  readonly password: string;
  readonly readerPassword: string;
  /** Waits for the engine's end. */
  readonly untilEnd: () => Promise<void>;
  /** Gives the engine up; the last holder waits for its end. */
  readonly release: () => Promise<void>;
}

export type EngineOptions = Partial<Pick<Launch, "httpPort" | "tcpPort">>;

const PATIENCE = 15_000;
const POLL = 50;
/** Longest wait for a launcher; another program may have its port by now, ms. */
const ANSWER_WITHIN = 5_000;

/**
 * Holds the engine of a workspace, after starting it if none runs.
 * @param options of an engine that is started
 * @param patience longest wait for an engine that starts or ends, ms
 * @throws UserError if the directory cannot be used
 */
export async function holdEngine(
  directory: string,
  options: EngineOptions = {},
  patience = PATIENCE,
): Promise<Engine> {
  const deadline = performance.now() + patience;
  for (;;) {
    const engine = (await holdRunningEngine(directory)) ?? (await launch(directory, options));
    if (engine) return engine;
    if (performance.now() > deadline) throw inUse(directory);
    await sleep(POLL);
  }
}

/** Holds the running engine of a workspace; undefined if none answers. */
export async function holdRunningEngine(directory: string): Promise<Engine | undefined> {
  const record = readRecord(directory);
  if (record === undefined) return undefined;
  const request = startRequest(`${record.control}/hold`, { method: "POST", agent: false });
  request.on("error", () => undefined);
  request.flushHeaders();
  const signal = AbortSignal.timeout(ANSWER_WITHIN);
  const response = await once(request, "response", { signal }).then(
    ([response]: IncomingMessage[]) => response,
    () => undefined,
  );
  if (response?.statusCode !== 200) {
    request.destroy();
    return undefined;
  }
  response.on("error", () => undefined).resume();
  // The process may end without giving the engine up; the broken connection does so.
  response.socket.unref();
  const untilEnd = async (): Promise<void> => {
    response.socket.ref();
    await finished(response).catch(() => undefined);
  };
  return {
    pid: record.pid,
    httpPort: record.http,
    tcpPort: record.tcp,
    password: readPassword(directory, WRITER),
    readerPassword: readPassword(directory, READER),
    untilEnd,
    release: () => {
      request.end();
      return untilEnd();
    },
  };
}

/** Starts the engine and holds it; undefined if another process has the directory's lock. */
async function launch(directory: string, options: EngineOptions): Promise<Engine | undefined> {
  requireWritable(join(directory, "status"), `The data directory ${directory}`);
  makeFolder(engineFolder(directory));
  const task: Launch = {
    directory: resolve(directory),
    library: findLibrary(),
    httpPort: 0,
    tcpPort: 0,
    ...options,
  };
  // A process group of its own, so that Ctrl+C ends the command first.
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "main.ts"), JSON.stringify(task)],
    {
      cwd: engineFolder(directory),
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  const problem = await problemOf(child);
  if (problem === undefined) {
    const engine = await holdRunningEngine(directory);
    child.disconnect();
    child.stderr?.destroy();
    child.unref();
    return engine;
  }
  if (problem.includes("Cannot lock file")) return undefined;
  throw startFailure(directory, task.tcpPort, problem);
}

/** Returns the errors of a start that failed; undefined once the engine is ready. */
async function problemOf(child: ChildProcess): Promise<string | undefined> {
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const isReady = await Promise.race([
    once(child, "message").then(() => true),
    once(child, "close").then(() => false),
  ]);
  return isReady ? undefined : errors;
}

function startFailure(directory: string, tcpPort: number, errors: string): UserError {
  const port = /Address already in use: .*:(\d+)/.exec(errors)?.[1];
  if (port !== undefined) {
    const option = Number(port) === tcpPort ? "--native-port" : "--port";
    return new UserError(`Port ${port} is in use`, `choose another port with ${option} PORT`);
  }
  return new UserError(
    `The engine of ${directory} did not start: ${errors.trim() || "it gave no reason"}`,
    "choose another directory with --database DIR",
  );
}

/** The engine's lock file begins with `PID: ` and the number of its process. */
function inUse(directory: string): UserError {
  const pid = /PID: (\d+)/.exec(readFileSync(join(directory, "status"), "utf8"))?.[1];
  return new UserError(
    `The data directory ${directory} is in use by another process${pid ? ` (${pid})` : ""}`,
    "end that process, or choose another directory with --database DIR",
  );
}
