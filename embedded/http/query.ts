import { randomInt } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admission } from "./admission.ts";
import { authenticate } from "./auth.ts";
import { chooseEncoding } from "./encodings.ts";
import { asServerException, exception } from "./errors.ts";
import { execute, type Summary } from "./execute.ts";
import { createTables, dropTables, type ExternalTable, isForm, receiveForm } from "./external.ts";
import { BREAKS_STREAMING, type Formats, type OutputFormat } from "./formats.ts";
import { refuseForeignHost, refuseOtherSites } from "./guard.ts";
import { type QueryParameters, readParameters, type Transport } from "./parameters.ts";
import type { Processes } from "./processes.ts";
import { type Received, receive } from "./receive.ts";
import { QueryResponse } from "./response.ts";
import type { Lease, Sessions } from "./sessions.ts";
import type { Spool } from "./spool.ts";
import { inspect, type Statement } from "./statement.ts";

/** What all requests of one interface share. */
export interface HttpContext {
  readonly version: string;
  readonly timezone: string;
  readonly displayName: string;
  readonly formats: Formats;
  readonly password: string;
  readonly queueTimeoutMs: number;
  readonly spool: Spool;
  readonly sessions: Sessions;
  readonly processes: Processes;
  readonly admission: Admission;
}

interface Query {
  readonly parameters: QueryParameters;
  readonly received: Received;
  readonly statement: Statement;
  readonly tables: readonly ExternalTable[];
}

/** Answers `/?query=…`. Never throws: every error becomes an answer, or ends the connection. */
export async function handleQuery(
  context: HttpContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URLSearchParams,
): Promise<void> {
  const client = new AbortController();
  response.once("close", () => client.abort(new Error("the client closed the connection")));
  const tag = randomTag();
  response.setHeader("X-ClickHouse-Server-Display-Name", context.displayName);
  response.setHeader("X-ClickHouse-Exception-Tag", tag);
  const respond = (transport: Transport): QueryResponse =>
    new QueryResponse(response, {
      transport,
      encoding: transport.compress
        ? chooseEncoding(request.headers["accept-encoding"]?.toString())
        : undefined,
      version: context.version,
      spool: context.spool,
      signal: client.signal,
      tag,
    });
  let answer = respond(PLAIN);
  try {
    refuseOtherSites(request);
    refuseForeignHost(request, context.password);
    authenticate(request, url, context.password);
    await using scope = new AsyncDisposableStack();
    const query = await read(context, request, url, scope);
    answer = respond(query.parameters.transport);
    response.setHeader("X-ClickHouse-Query-Id", query.parameters.queryId);
    await run(context, query, { response, answer, signal: client.signal });
  } catch (error) {
    if (client.signal.aborted) response.destroy();
    else await answer.fail(asServerException(error)).catch(() => response.destroy());
  }
}

const PLAIN: Transport = { waitEnd: false, bufferSize: 0, compress: false, compressionLevel: 1 };

/** Parameters and statement; files that came along are removed with the scope. */
async function read(
  context: HttpContext,
  request: IncomingMessage,
  url: URLSearchParams,
  scope: AsyncDisposableStack,
): Promise<Query> {
  if (isForm(request)) {
    const form = await receiveForm(request, url, context.spool);
    for (const table of form.tables) scope.use(table.rows);
    const all = new URLSearchParams([...withoutTables(url, form.tables), ...form.fields]);
    const parameters = readParameters(request, all);
    const received = { sql: all.getAll("query").join("") };
    return { parameters, received, statement: inspect(received.sql), tables: form.tables };
  }
  const parameters = readParameters(request, url);
  const received = await receive(request, parameters.query, context.spool);
  if (received.rows) scope.use(received.rows);
  const statement = received.rows ? INSERT : inspect(received.sql);
  return { parameters, received, statement, tables: [] };
}

const INSERT: Statement = { keyword: "INSERT", reads: false };

const withoutTables = (url: URLSearchParams, tables: readonly ExternalTable[]) =>
  [...url].filter(
    ([key]) =>
      !tables.some(({ name }) => new RegExp(`^${name}_(format|types|structure)$`).test(key)),
  );

interface Exchange {
  readonly response: ServerResponse;
  readonly answer: QueryResponse;
  readonly signal: AbortSignal;
}

async function run(context: HttpContext, query: Query, exchange: Exchange): Promise<void> {
  const { parameters, received, statement } = query;
  refuseWrites(query);
  if (statement.keyword === "KILL") return kill(context, query, exchange);
  const scope = new DisposableStack();
  try {
    const lease = context.sessions.lease(parameters.session);
    scope.defer(() => lease.release());
    const { connection } = lease;
    scope.defer(context.processes.begin(parameters.queryId, connection.token));
    scope.defer(await context.admission.enter(exchange.signal, queueTimeout(context, parameters)));
    scope.defer(killWhenClientLeaves(context, query, lease, exchange.signal));
    const summary: Summary = {};
    for await (const bytes of results(context, query, lease, exchange.response, summary)) {
      await exchange.answer.write(bytes, summary);
    }
    if (received.rows) summary.written_rows = summary.read_rows ?? 0;
    // Before the answer ends: its client may send the next query of the session at once.
    scope.dispose();
    await exchange.answer.end(summary);
  } finally {
    scope.dispose();
  }
}

async function* results(
  context: HttpContext,
  { parameters, received, statement, tables }: Query,
  { connection }: Lease,
  response: ServerResponse,
  summary: Summary,
): AsyncGenerator<Uint8Array> {
  const { keyword } = statement;
  await createTables(connection, tables);
  // In a session, SET speaks for the session: settings of its own request would blur that.
  const settings = keyword === "SET" ? new Map<string, string>() : parameters.settings;
  await connection.prepare({ ...parameters, settings });
  const format = outputFormat(context, statement, parameters);
  describe(context, response, statement, format, parameters);
  const special = BREAKS_STREAMING.test([received.sql, ...settings.keys()].join(" "));
  const streaming = statement.reads && format.headerLines !== undefined && !special;
  const streams = streaming && connection.streams;
  yield* execute(connection, received.sql, format, streams, summary);
  if (keyword === "USE") await connection.adoptDatabase();
  if (keyword === "SET" && special) connection.streams = false;
  if (parameters.session) await dropTables(connection, tables);
}

function outputFormat(
  { formats }: HttpContext,
  statement: Statement,
  parameters: QueryParameters,
): OutputFormat {
  const name = statement.format ?? parameters.format;
  // The engine knows best what to say of a name that it does not know.
  const unknown = { name, contentType: TEXT, headerLines: undefined };
  return formats.get(name.toLowerCase()) ?? unknown;
}

const TEXT = "text/plain; charset=UTF-8";

function describe(
  context: HttpContext,
  response: ServerResponse,
  statement: Statement,
  format: OutputFormat,
  parameters: QueryParameters,
): void {
  const timezone = parameters.settings.get("session_timezone") || context.timezone;
  response.setHeader("X-ClickHouse-Timezone", timezone);
  response.setHeader("Content-Type", statement.reads ? format.contentType : TEXT);
  if (statement.reads) response.setHeader("X-ClickHouse-Format", format.name);
}

/** A session's connection must stay writable, so its GET requests are checked here. */
function refuseWrites({ parameters, statement }: Query): void {
  const checked = parameters.session !== undefined || statement.keyword === "KILL";
  const harmless = statement.reads || ["SET", "USE"].includes(statement.keyword);
  if (parameters.readonly && checked && !harmless) {
    throw exception("READONLY", "default: Cannot execute query in readonly mode");
  }
}

async function kill(context: HttpContext, query: Query, exchange: Exchange): Promise<void> {
  const format = outputFormat(context, query.statement, query.parameters);
  exchange.response.setHeader("Content-Type", format.contentType);
  exchange.response.setHeader("X-ClickHouse-Format", format.name);
  const text = context.processes.runKill(query.received.sql, format.name);
  await exchange.answer.write(Buffer.from(text), {});
  await exchange.answer.end({});
}

/** Nobody waits for the result of a reading query any more; a writing one runs to its end. */
function killWhenClientLeaves(
  { processes }: HttpContext,
  { statement }: Query,
  { connection }: Lease,
  signal: AbortSignal,
): () => void {
  const onAbort = (): void => {
    if (statement.reads) processes.kill(connection.token);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

/** A query does not wait longer for its turn than it may run. */
function queueTimeout({ queueTimeoutMs }: HttpContext, { settings }: QueryParameters): number {
  const seconds = Number(settings.get("max_execution_time"));
  return seconds > 0 ? Math.min(queueTimeoutMs, seconds * 1000) : queueTimeoutMs;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const randomTag = (): string =>
  Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
