import type { Connection } from "./connection.ts";
import { headerLength, type OutputFormat } from "./formats.ts";

/** Counts of a statement; the library counts only rows of a result and of a body. */
export interface Summary {
  read_rows?: number;
  read_bytes?: number;
  written_rows?: number;
  written_bytes?: number;
  result_rows?: number;
  result_bytes?: number;
}

/** Yields the output of a statement, and fills `summary`. */
export async function* execute(
  connection: Connection,
  sql: string,
  format: OutputFormat,
  streaming: boolean,
  summary: Summary,
): AsyncGenerator<Uint8Array> {
  const stream = streaming ? tryStream(connection, sql, format.name) : undefined;
  if (stream === undefined) {
    const result = await connection.query(sql, format.name);
    const bytes = result.bytes();
    summary.result_rows = result.rowsRead;
    // An INSERT without output reports the written bytes.
    summary.result_bytes = bytes.length || result.bytesRead;
    if (bytes.length > 0) yield bytes;
    return;
  }
  summary.result_rows = 0;
  summary.result_bytes = 0;
  const csv = format.name.startsWith("CSV");
  let ended = false;
  try {
    for await (const block of stream) {
      const bytes = block.raw();
      const first = summary.result_bytes === 0;
      const from = first ? 0 : headerLength(bytes, format.headerLines ?? 0, csv);
      summary.result_rows += block.numRows;
      summary.result_bytes += bytes.length - from;
      if (bytes.length > from) yield bytes.subarray(from);
    }
    ended = true;
  } finally {
    // The engine keeps an unfinished result until the next statement.
    if (!ended) await connection.discardOutput();
  }
}

/** Streams a plain SELECT; the engine rejects other statements without running them. */
function tryStream(connection: Connection, sql: string, format: string) {
  try {
    return connection.stream(sql, format);
  } catch (error) {
    if (/Streaming query is not supported/.test(String(error))) return undefined;
    throw error;
  }
}
