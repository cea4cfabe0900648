import type { ServerResponse } from "node:http";
import type { Exchange, HttpContext, Query } from "./exchange.ts";
import { execute, type Summary } from "./execute.ts";
import { createTables } from "./external.ts";
import { refuseFileNames } from "./file-names.ts";
import { BREAKS_STREAMING, type OutputFormat } from "./formats.ts";
import { readonly } from "./guard.ts";
import { runKill } from "./kill.ts";
import { askForTypes, rewriteBlocks } from "./native/blocks.ts";
import type { QueryParameters } from "./parameters.ts";
import { isReload, reload } from "./reload.ts";
import type { RunningStatement } from "./running-statement.ts";
import type { Lease } from "./sessions.ts";
import { isHarmless, type Statement } from "./statement.ts";

export async function run(context: HttpContext, query: Query, exchange: Exchange): Promise<void> {
  const { parameters, statement } = query;
  refuseWrites(query);
  if (exchange.response.req.method !== "POST") {
    await refuseFileNames(context.parser, statement, parameters, exchange.signal);
  }
  if (statement.keyword === "KILL") return kill(context, query, exchange);
  if (isReload(context, query)) return reload(context, exchange);
  const scope = new DisposableStack();
  try {
    const lease = context.sessions.lease(parameters.session);
    let running: RunningStatement | undefined;
    scope.defer(() => lease.release({ busy: running?.left !== undefined }));
    const begun = context.processes.begin(
      parameters.queryId,
      lease.connection.token,
      statement.reads,
    );
    scope.defer(begun.end);
    running = begun.running;
    const timeout = queueTimeout(context, parameters);
    if (statement.externalSource) {
      const leave = await context.sourceAdmission.enter(exchange.signal, timeout);
      scope.defer(() => leave(running.left));
    }
    const leave = await context.admission.enter(exchange.signal, timeout);
    scope.defer(() => leave(running.left));
    scope.defer(stopWhenClientLeaves(running, query, exchange.signal));
    const summary: Summary = {};
    const blocks = results(context, query, lease, exchange.response, summary);
    for await (const bytes of running.steps(blocks)) {
      await exchange.answer.write(bytes, summary);
    }
    countInsert(query, summary);
    // Disposes before the end of the response, because the client may reuse the session at once.
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
  // SET applies to the session, so the settings of the request must not change the result.
  const settings = new Map(
    [...parameters.settings].filter(([name]) => keyword !== "SET" || name === "readonly"),
  );
  const format = outputFormat(context, statement, parameters);
  const versioned = format.name === "Native" && parameters.protocolVersion > 0;
  if (versioned) askForTypes(settings);
  await connection.prepare({ ...parameters, settings }, () => createTables(connection, tables));
  describe(context, response, statement, format, parameters);
  const special = BREAKS_STREAMING.test([received.sql, ...settings.keys()].join(" "));
  const streaming = statement.streams && format.headerLines !== undefined && !special;
  const streams = streaming && connection.streams;
  const result = execute(connection, received.sql, format, streams, summary);
  yield* versioned ? rewriteBlocks(result, parameters.protocolVersion) : result;
  if (keyword === "USE") await connection.adoptDatabase();
  if (keyword === "SET" && special) connection.streams = false;
}

/** Counts the written rows; the engine counts only the rows of a body. */
function countInsert({ received, statement }: Query, summary: Summary): void {
  const { result_rows: rows = 0, result_bytes: bytes = 0 } = summary;
  if (received.rows && !received.throughSelect) {
    const counted = { read_rows: rows, read_bytes: bytes };
    Object.assign(summary, counted, { written_rows: rows, written_bytes: bytes });
  } else if (!statement.reads && rows === 0) {
    delete summary.result_rows;
    delete summary.result_bytes;
  }
}

function outputFormat(
  { formats }: HttpContext,
  statement: Statement,
  parameters: QueryParameters,
): OutputFormat {
  // An unknown name is not a format clause (`ORDER BY format ASC`), or the engine rejects it.
  const named = formats.get(statement.format?.toLowerCase() ?? "");
  const name = parameters.format;
  const unknown = { name, contentType: TEXT, headerLines: undefined };
  return named ?? formats.get(name.toLowerCase()) ?? unknown;
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

/** Refuses writes of a read-only request, because a session's connection is writable. */
function refuseWrites({ parameters, statement }: Query): void {
  if (parameters.readonly && !isHarmless(statement)) throw readonly();
}

async function kill(context: HttpContext, query: Query, exchange: Exchange): Promise<void> {
  const { processes } = context;
  const format = outputFormat(context, query.statement, query.parameters);
  exchange.response.setHeader("Content-Type", format.contentType);
  exchange.response.setHeader("X-ClickHouse-Format", format.name);
  const bytes = await runKill(processes, query.statement.text, format.name, exchange.signal);
  await exchange.answer.write(bytes, {});
  await exchange.answer.end({});
}

/** Stops a reading query when the client disconnects; a writing query continues. */
function stopWhenClientLeaves(
  running: RunningStatement,
  { statement }: Query,
  signal: AbortSignal,
): () => void {
  const onAbort = (): void => {
    if (statement.reads) running.stop();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

/** Returns the longest wait for a slot, at most `max_execution_time`. */
function queueTimeout({ queueTimeoutMs }: HttpContext, { settings }: QueryParameters): number {
  const seconds = Number(settings.get("max_execution_time"));
  return seconds > 0 ? Math.min(queueTimeoutMs, seconds * 1000) : queueTimeoutMs;
}
