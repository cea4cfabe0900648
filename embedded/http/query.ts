import { randomInt } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { authenticate } from "./auth.ts";
import { chooseEncoding } from "./encodings.ts";
import { asServerException } from "./errors.ts";
import type { HttpContext, Query } from "./exchange.ts";
import { type ExternalTable, isForm, receiveForm } from "./external.ts";
import { crossSiteError, refuseExternalSource, refuseNavigation } from "./guard.ts";
import { type QueryParameters, readParameters, type Transport } from "./parameters.ts";
import { type ReceivedStatement, receive } from "./receive.ts";
import { QueryResponse } from "./response.ts";
import { run } from "./run.ts";
import { endStalledBody } from "./slow-clients.ts";
import { dialectError, inspect, refuseLossOfDefault, type Statement } from "./statement.ts";

/** Answers a query. Never throws: an error becomes the response or ends the connection. */
export async function handleQuery(
  context: HttpContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URLSearchParams,
): Promise<void> {
  endStalledBody(request, context.clientTimeoutMs);
  const client = new AbortController();
  response.once("close", () => client.abort(new Error("the client closed the connection")));
  const tag = randomTag();
  response.setHeader("X-ClickHouse-Server-Display-Name", context.displayName);
  response.setHeader("X-ClickHouse-Exception-Tag", tag);
  const respond = (transport: Transport): QueryResponse =>
    new QueryResponse(response, {
      transport,
      encoding: chooseEncoding(transport, request.headers["accept-encoding"]?.toString()),
      version: context.version,
      spool: context.spool,
      signal: client.signal,
      tag,
    });
  let answer = respond(PLAIN);
  try {
    const refused = crossSiteError(request, "/play");
    if (refused) throw refused;
    authenticate(request, url, context.access.password, context.access.users);
    await using scope = new AsyncDisposableStack();
    // Called before the body is read, so that errors in the body use the requested encoding.
    const introduce = ({ transport, queryId }: QueryParameters): void => {
      answer = respond(transport);
      response.setHeader("X-ClickHouse-Query-Id", queryId);
    };
    const parameters = readParameters(request, url);
    introduce(parameters);
    const query = isForm(request)
      ? await readForm(context, request, url, { scope, signal: client.signal, introduce })
      : await readBody(context, request, parameters, { scope, signal: client.signal });
    await run(context, query, { response, answer, signal: client.signal });
  } catch (error) {
    if (client.signal.aborted) await answer.abandon();
    else await answer.fail(asServerException(error)).catch(() => response.destroy());
  }
}

const PLAIN: Transport = {
  waitEnd: false,
  bufferSize: 0,
  compress: false,
  compressionLevel: 1,
  compressBlocks: false,
  decompressBlocks: false,
};

interface Reception {
  readonly scope: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/** Reads a form, whose fields are parameters like those of the URL. The scope removes the files. */
async function readForm(
  context: HttpContext,
  request: IncomingMessage,
  url: URLSearchParams,
  { scope, signal, introduce }: Reception & { introduce(parameters: QueryParameters): void },
): Promise<Query> {
  const form = await receiveForm(request, url, context.spool, scope);
  const all = new URLSearchParams([...withoutTables(url, form.tables), ...form.fields]);
  const parameters = readParameters(request, all);
  introduce(parameters);
  const received = { sql: all.getAll("query").join("") };
  const statement = await readStatement(context, received, parameters, signal);
  refuse(request, statement);
  return { parameters, received, statement, tables: form.tables };
}

async function readBody(
  context: HttpContext,
  request: IncomingMessage,
  parameters: QueryParameters,
  { scope, signal }: Reception,
): Promise<Query> {
  const received = await receive(request, parameters.transport, context.spool);
  if (received.rows) scope.use(received.rows);
  const inspected = await readStatement(context, received, parameters, signal);
  const statement = received.rows ? { ...INSERT, text: received.sql } : inspected;
  refuse(request, statement);
  return { parameters, received, statement, tables: [] };
}

const INSERT = { keyword: "INSERT", reads: false, streams: false } as const;

async function readStatement(
  { parser, externalSources }: HttpContext,
  { sql, rows }: ReceivedStatement,
  { settings, bindings }: QueryParameters,
  signal: AbortSignal,
): Promise<Statement> {
  if ((settings.get("dialect") ?? "clickhouse") !== "clickhouse") throw dialectError();
  const text = await parser.format(sql, settings, signal);
  const statement = inspect(text, externalSources, rows?.path);
  refuseLossOfDefault(statement, bindings);
  return statement;
}

function refuse(request: IncomingMessage, statement: Statement): void {
  refuseExternalSource(request, statement);
  refuseNavigation(request, statement);
}

const withoutTables = (url: URLSearchParams, tables: readonly ExternalTable[]) =>
  [...url].filter(
    ([key]) =>
      !tables.some(({ name }) => new RegExp(`^${name}_(format|types|structure)$`).test(key)),
  );

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const randomTag = (): string =>
  Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
