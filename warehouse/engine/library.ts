import { closeSync, constants, openSync } from "node:fs";
import { createRequire } from "node:module";
import { UserError } from "../../contract/errors.ts";

/** npm packages with ClickHouse as a library, by platform. */
const PACKAGES: Readonly<Record<string, string>> = {
  "darwin-arm64": "@chdb/lib-darwin-arm64",
  "darwin-x64": "@chdb/lib-darwin-x64",
  "linux-arm64": "@chdb/lib-linux-arm64-gnu",
  "linux-x64": "@chdb/lib-linux-x64-gnu",
};

const USE_SERVER = "use a ClickHouse server: --database http://HOST:PORT";

/** Returns the npm package with the library. @throws UserError if this platform has none */
export function libraryPackage(platform: string): string {
  const name = PACKAGES[platform];
  if (name !== undefined) return name;
  const allowed = Object.keys(PACKAGES).join(", ");
  throw new UserError(`No local engine runs on ${platform}. Allowed: ${allowed}`, USE_SERVER);
}

/** Returns the file of the library. @throws UserError if this platform or installation has none */
export function findLibrary(
  platform = `${process.platform}-${process.arch}`,
  resolve: (file: string) => string = createRequire(import.meta.url).resolve,
): string {
  const name = libraryPackage(platform);
  try {
    return resolve(`${name}/libchdb.so`);
  } catch {
    throw new UserError(
      `The local engine is not installed: the package ${name} is missing`,
      `run npm ci with optional dependencies on a system with glibc, or ${USE_SERVER}`,
    );
  }
}

export interface Session {
  readonly ended: Promise<void>;
  /** To be called once the session has begun. */
  readonly onBegin: () => void;
}

/**
 * Runs statements with clickhouse-local in a thread of this process; their errors go to stderr. The
 * session is interactive, which needs a terminal: otherwise an exception in a connection ends the
 * process, such as one for a wrong password or for bytes that are not of the protocol.
 */
export async function startSession(
  library: string,
  options: readonly string[],
  sql: string,
): Promise<Session> {
  const { DataType, load, open } = await import("ffi-rs");
  const terminal = await openTerminal();
  open({ library: "chdb", path: library });
  const argv = ["clickhouse", ...options, ...INTERACTIVE, "--query", sql];
  const ended = load({
    library: "chdb",
    funcName: "chdb_query_cmdline",
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [argv.length, argv],
    runInNewThread: true,
  });
  return { ended: ended.then(() => undefined), onBegin: () => closeSync(terminal) };
}

const INTERACTIVE = [
  ...["--interactive", "--disable_suggestion"],
  ...["--progress=off", "--progress-table=off", "--history_file=/dev/null"],
];

/**
 * Makes a terminal the standard input. Once the returned side of it is closed, nothing waits for
 * what a person types.
 */
async function openTerminal(): Promise<number> {
  const { DataType, load, open } = await import("ffi-rs");
  open({ library: "libc", path: LIBC_FILE });
  const noControl = constants.O_RDWR | constants.O_NOCTTY;
  const terminal = openSync("/dev/ptmx", noControl);
  const call = <R>(funcName: string, retType: number): R =>
    load({
      library: "libc",
      funcName,
      retType,
      paramsType: [DataType.I32],
      paramsValue: [terminal],
    }) as R;
  call("grantpt", DataType.I32);
  call("unlockpt", DataType.I32);
  const name = call<string>("ptsname", DataType.String);
  closeSync(0);
  // A file takes the lowest free number: 0.
  openSync(name, noControl);
  return terminal;
}

/** Ends this process without waiting for its threads; as a container's first one, no signal ends it. */
export async function endNow(): Promise<void> {
  const { DataType, load, open } = await import("ffi-rs");
  open({ library: "libc", path: LIBC_FILE });
  load({
    library: "libc",
    funcName: "_exit",
    retType: DataType.Void,
    paramsType: [DataType.I32],
    paramsValue: [0],
  });
}

const LIBC_FILE = process.platform === "darwin" ? "/usr/lib/libSystem.B.dylib" : "libc.so.6";
