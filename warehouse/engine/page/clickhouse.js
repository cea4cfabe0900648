/**
 * @typedef {{ name: string, type: string }} Column
 * @typedef {{ meta: Column[], data: unknown[][], rows: number, statistics: { rows_read: number } }} Result
 */

/** Largest number of rows that the page asks for. */
export const ROW_LIMIT = 10_000;

const RESULT_SETTINGS = {
  default_format: "JSONCompact",
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  // Not `limit`, which would also cut what an INSERT writes.
  max_result_rows: ROW_LIMIT,
  result_overflow_mode: "break",
};

/** `reader` needs no password on a workspace. */
let headers = { "X-ClickHouse-User": "reader", "X-ClickHouse-Key": "" };

export function signIn(user, password) {
  headers = { "X-ClickHouse-User": user, "X-ClickHouse-Key": password };
}

export class QueryError extends Error {
  /** True if ClickHouse knows no such user or password. */
  needsLogin = false;
}

/** The browser's message has no cause. */
const NO_ANSWER = `ClickHouse does not answer at ${location.origin}.
hint: start it again, such as with make play`;

async function send(sql, settings, signal) {
  const parameters = new URLSearchParams({ ...settings, wait_end_of_query: 1 });
  const request = { method: "POST", body: sql, headers, signal };
  const response = await fetch(`./?${parameters}`, request).catch((error) => {
    throw error instanceof TypeError ? new QueryError(NO_ANSWER) : error;
  });
  if (response.ok) return response;
  const error = new QueryError(await response.text());
  error.needsLogin = response.headers.get("X-ClickHouse-Exception-Code") === "516";
  throw error;
}

/**
 * Runs a statement. One with a FORMAT of its own has no `result`, only text. A result can have
 * some more rows than the limit, because ClickHouse stops after a block.
 * @returns {Promise<{ text: string, rows: number, written: number, result?: Result }>}
 */
export async function query(sql, signal) {
  const response = await send(sql, RESULT_SETTINGS, signal);
  const text = await response.text();
  const summary = JSON.parse(response.headers.get("X-ClickHouse-Summary") ?? "{}");
  const answer = { text, rows: Number(summary.result_rows), written: Number(summary.written_rows) };
  if (text === "" || response.headers.get("X-ClickHouse-Format") !== "JSONCompact") return answer;
  const result = JSON.parse(text);
  return { ...answer, rows: result.rows, result };
}

/** Counts the rows of a statement. */
export async function countRows(sql, signal) {
  const statement = sql.replace(/;?\s*$/, "").replace(/\bFORMAT\s+\w+$/i, "");
  const { result } = await query(`SELECT count() FROM (\n${statement}\n)`, signal);
  return Number(result?.data[0]?.[0]);
}

/** Returns the whole result. */
export const csvOf = async (sql) => (await send(sql, { default_format: "CSVWithNames" })).blob();
