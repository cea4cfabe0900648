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

/** The page's address has the password, because every account of the machine may open the page. */
const password = new URLSearchParams(location.search).get("password") ?? "";
export const hasPassword = password !== "";

const headers = { "X-ClickHouse-User": "reader", "X-ClickHouse-Key": password };

/** Setting that narrows every statement to one site. @type {Record<string, string>} */
let siteFilter = {};

const literal = (text) => `'${text.replace(/[\\']/g, "\\$&")}'`;

/**
 * Narrows later statements to a site, through the views, too; without one to none.
 * @param {string | undefined} site
 * @param {string[]} tables that have the column
 */
export function narrowTo(site, tables) {
  siteFilter = {};
  if (site === undefined) return;
  const condition = literal(`site = ${literal(site)}`);
  const filters = tables.map((table) => `${literal(table)}: ${condition}`);
  siteFilter = { additional_table_filters: `{${filters.join(", ")}}` };
}

export class QueryError extends Error {}

/** The browser's message has no cause. */
const NO_ANSWER = `ClickHouse does not answer at ${location.origin}.
hint: start it again, such as with make play`;

const WRONG_PASSWORD = `This address lacks the password of the user reader, or has another one.
hint: open the address that make play prints`;
const AUTHENTICATION_FAILED = "516";

async function send(sql, settings, signal) {
  const parameters = new URLSearchParams({ ...settings, ...siteFilter, wait_end_of_query: 1 });
  const request = { method: "POST", body: sql, headers, signal };
  const response = await fetch(`./?${parameters}`, request).catch((error) => {
    throw error instanceof TypeError ? new QueryError(NO_ANSWER) : error;
  });
  if (response.ok) return response;
  const isRefused = response.headers.get("X-ClickHouse-Exception-Code") === AUTHENTICATION_FAILED;
  throw new QueryError(isRefused ? WRONG_PASSWORD : await response.text());
}

/**
 * Runs a statement. One with a FORMAT of its own has no `result`, only text. A result can have
 * some more rows than the limit, because ClickHouse stops after a block.
 * @returns {Promise<{ text: string, rows: number, result?: Result }>}
 */
export async function query(sql, signal) {
  const response = await send(sql, RESULT_SETTINGS, signal);
  const text = await response.text();
  const summary = JSON.parse(response.headers.get("X-ClickHouse-Summary") ?? "{}");
  const answer = { text, rows: Number(summary.result_rows) };
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
