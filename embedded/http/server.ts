import { createServer, type Server } from "node:http";
import { hostname } from "node:os";
import type { Session } from "chdb";
import type { EmbeddedEngine } from "../engine.ts";
import { Admission } from "./admission.ts";
import type { HttpContext } from "./exchange.ts";
import { readFormats } from "./formats.ts";
import { isLoopback } from "./guard.ts";
import { listen } from "./listen.ts";
import { Metrics } from "./metrics.ts";
import {
  defaultConcurrency,
  type HttpOptions,
  refuseOpenAddress,
  spareThreads,
} from "./options.ts";
import { Parser } from "./parser.ts";
import { Processes } from "./processes.ts";
import { applyReload } from "./reload.ts";
import { metricsRoutes, routes } from "./routes.ts";
import { Sessions } from "./sessions.ts";
import { serverTimeouts } from "./slow-clients.ts";
import { Spool } from "./spool.ts";
import { INTERNAL_TABLE_FUNCTIONS } from "./statement.ts";

export type { HttpOptions } from "./options.ts";

/** HTTP interface of an engine; close it before the engine. */
export interface HttpInterface {
  readonly url: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Reloads passwords and users from `HttpOptions.reload`, like `SYSTEM RELOAD CONFIG`. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Default port, other than the stack's 9123 so that both can run. */
const PREFERRED_PORT = 9133;
/** Longest header; the URL may contain a statement of 1 MB, as in the server. */
const MAX_HEADER_BYTES = 1_100_000;
const KEEP_ALIVE_MS = 10_000;
const QUEUE_TIMEOUT_MS = 60_000;
const CLIENT_TIMEOUT_MS = 60_000;
const MAX_SESSIONS = 1_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Starts the HTTP interface. @throws UserError for an unavailable or unprotected address */
export async function startHttp(
  engine: EmbeddedEngine,
  options: HttpOptions = {},
): Promise<HttpInterface> {
  const { host = "127.0.0.1", password = "" } = options;
  refuseOpenAddress(host, password);
  const context = await createContext(engine, options, password);
  const metrics = new Metrics(engine);
  const server = { ...SERVER, ...serverTimeouts(context.clientTimeoutMs) };
  const main = createServer(server, routes(context, metrics));
  metrics.connections = () => openConnections(main);
  const servers = [main];
  const close = async (): Promise<void> => {
    context.sourceAdmission.close();
    context.admission.close();
    context.processes.stop();
    await Promise.all(servers.map(stop));
    context.sessions.close();
    context.parser.close();
    context.processes.close();
    metrics.close();
    await context.spool.close();
  };
  try {
    const port = await listen(main, { host, port: options.port, preferred: PREFERRED_PORT });
    const metricsPort = await listenForMetrics(
      servers,
      context,
      metrics,
      host,
      options.metricsPort,
    );
    const reload = () => applyReload(context);
    return { url: `http://${addressOf(host)}:${port}`, port, metricsPort, reload, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const SERVER = {
  maxHeaderSize: MAX_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MS,
} as const;

async function createContext(
  engine: EmbeddedEngine,
  options: HttpOptions,
  password: string,
): Promise<HttpContext> {
  const connection = engine.connect();
  const concurrency = options.concurrency ?? defaultConcurrency();
  try {
    const formats = await readFormats(connection);
    const processes = new Processes(engine);
    const [version = "", timezone = ""] = connection
      .query("SELECT version(), serverTimezone()", "TabSeparatedRaw")
      .trim()
      .split("\t");
    return {
      version,
      timezone,
      displayName: hostname(),
      formats,
      access: { password, users: options.users ?? {} },
      reload: options.reload,
      reloading: Promise.resolve(),
      queueTimeoutMs: options.queueTimeoutMs ?? QUEUE_TIMEOUT_MS,
      clientTimeoutMs: options.clientTimeoutMs ?? CLIENT_TIMEOUT_MS,
      spool: new Spool(options.temporaryDirectory),
      sessions: new Sessions(engine, options.maxSessions ?? MAX_SESSIONS),
      processes,
      parser: new Parser(processes),
      externalSources: readExternalSources(connection),
      admission: new Admission(concurrency, spareThreads(concurrency)),
      // One slot less, so that statements that wait for a network do not use all slots.
      sourceAdmission: new Admission(Math.max(1, concurrency - 1)),
    };
  } finally {
    connection.close();
  }
}

function readExternalSources(connection: Session): ReadonlySet<string> {
  const sql = "SELECT lower(name) FROM system.table_functions";
  const names = connection.query(sql, "TabSeparatedRaw").trim().split("\n");
  return new Set(names).difference(INTERNAL_TABLE_FUNCTIONS);
}

async function listenForMetrics(
  servers: Server[],
  context: HttpContext,
  metrics: Metrics,
  host: string,
  port: number | undefined,
): Promise<number | undefined> {
  if (port === undefined) return undefined;
  const server = createServer(
    serverTimeouts(context.clientTimeoutMs),
    metricsRoutes(context, metrics),
  );
  servers.push(server);
  return listen(server, { host, port, preferred: port });
}

const addressOf = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") && isLoopback(host) ? `[${host}]` : host;
};

/** Stops accepting connections, and closes connections that do not end in time. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(deadline);
      resolve();
    });
  });
}

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error ? 0 : count));
  });
