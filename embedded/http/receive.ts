import type { IncomingMessage } from "node:http";
import { decodedBody } from "./encodings.ts";
import { exception } from "./errors.ts";
import { parseInsert, rewriteToReadFile } from "./insert.ts";
import type { Transport } from "./parameters.ts";
import type { Spool, SpooledFile } from "./spool.ts";
import { queryInAddress, statementText } from "./statement-text.ts";

export interface ReceivedStatement {
  readonly sql: string;
  readonly rows?: SpooledFile;
  readonly throughSelect?: boolean;
}

/** Bytes in which an INSERT must name the format, like the server's max_query_size. */
const HEAD_BYTES = 262_144;
/** Longest statement; statements are held in memory, unlike the rows of an INSERT. */
export const MAX_STATEMENT_BYTES = 64 << 20;

/** Receives a statement: the `query` parameter and the body, joined with a line break. */
export async function receive(
  request: IncomingMessage,
  { decompressBlocks }: Transport,
  spool: Spool,
): Promise<ReceivedStatement> {
  const body = hasBody(request) ? decodedBody(request, decompressBlocks) : empty();
  const chunks = body[Symbol.asyncIterator]();
  const query = queryInAddress(request.url ?? "");
  const start = query.length === 0 ? [] : [query, Buffer.from("\n")];
  const head = await collect(start, chunks, HEAD_BYTES);
  // latin1 has one character per byte, because rows may be binary and offsets count bytes.
  const insert = parseInsert(head.toString("latin1"));
  if (insert === undefined) {
    const text = await collect([head], chunks, MAX_STATEMENT_BYTES + 1);
    if (text.length > MAX_STATEMENT_BYTES) throw tooLarge();
    return { sql: statementText(text) };
  }
  const rows = await spool.write(concat(head.subarray(insert.dataStart), chunks));
  const sql = statementText(Buffer.from(rewriteToReadFile(insert, rows.path), "latin1"));
  return { sql, rows, throughSelect: insert.input !== undefined };
}

async function collect(
  start: readonly Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  atLeast: number,
): Promise<Buffer> {
  const parts = [...start];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  while (length < atLeast) {
    const { done, value } = await chunks.next();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  return Buffer.concat(parts);
}

async function* concat(
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

function hasBody(request: IncomingMessage): boolean {
  if (request.method !== "POST") return false;
  const { "content-length": length, "transfer-encoding": transfer } = request.headers;
  if (length !== undefined || transfer !== undefined) return true;
  throw exception(
    "HTTP_LENGTH_REQUIRED",
    "The Transfer-Encoding is not chunked and there is no Content-Length header for POST request",
  );
}

async function* empty(): AsyncGenerator<Uint8Array> {}

export const tooLarge = () =>
  exception(
    "QUERY_IS_TOO_LARGE",
    `The statement is larger than ${MAX_STATEMENT_BYTES} bytes. Send rows as the data of an INSERT`,
  );
