"use strict";
const SHOWN_ROWS = 1000;
const ROW_LIMIT = 10000;
const CHART_ROWS = 60;
/**
 * Condition that excludes internal tables: scratch tables, records of loads, Kafka readers and
 * materialized views.
 */
const READABLE = `database != 'dm_internal' AND NOT match(table, '^(work_|load_|\\\\.inner)|_(build|candidate|parsed|mv|queue)$')`;
const TABLES = `SELECT database, table, total_rows, comment FROM system.tables
  WHERE NOT is_temporary AND lower(database) != 'information_schema' AND ${READABLE}
  ORDER BY indexOf(['system', 'stg', 'ods', 'dds', 'dm'], database) = 1, -indexOf(['stg', 'ods', 'dds', 'dm'], database), database, table`;
const DICTIONARY = `SELECT concat(database, '.', table) AS table_name, name AS column_name, comment AS meaning, type
FROM system.columns
WHERE database IN ('dm', 'dds', 'ods') AND ${READABLE}
ORDER BY indexOf(['dm', 'dds', 'ods'], database), table, position`;
const OPEN = ["dm", "default"];
const QUESTIONS = JSON.parse(document.getElementById("questions").textContent);
const at = (id) => document.getElementById(id);
let running;
/** Result on display, for the chart and the download. */
let shown;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function ask(sql, parameters, signal) {
  const answer = await fetch("./?" + new URLSearchParams(parameters), {
    method: "POST", body: sql, signal,
    headers: { "X-ClickHouse-User": "reader" },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.trim());
  return { text, format: answer.headers.get("X-ClickHouse-Format"), summary: JSON.parse(answer.headers.get("X-ClickHouse-Summary") || "{}") };
}

const JSON_RESULT = { default_format: "JSONCompact", output_format_json_quote_64bit_integers: 1, wait_end_of_query: 1 };

async function run() {
  const sql = at("query").value;
  if (sql.trim() === "" || running) return;
  running = new AbortController();
  at("stop").hidden = false;
  offer(undefined);
  at("status").textContent = "Running…";
  history.replaceState(null, "", "#" + encodeURIComponent(sql));
  const from = performance.now();
  const elapsed = () => ((performance.now() - from) / 1000).toFixed(3) + " s";
  try {
    const limits = { max_result_rows: ROW_LIMIT, result_overflow_mode: "break" };
    const answer = await ask(sql, { ...JSON_RESULT, ...limits }, running.signal);
    at("status").textContent = show(answer) + elapsed();
  } catch (error) {
    const stopped = error.name === "AbortError";
    at("status").textContent = (stopped ? "Stopped after " : "Failed after ") + elapsed();
    at("result").replaceChildren(...(stopped ? [] : [element("pre", error.message, "error")]));
  } finally {
    running = undefined;
    at("stop").hidden = true;
  }
}

/** Shows the result and returns the text of the status line. */
function show({ text, format, summary }) {
  if (format !== "JSONCompact") {
    at("result").replaceChildren(...(text === "" ? [] : [element("pre", text)]));
    const written = summary.written_rows;
    return (written === undefined ? "Done" : written + " rows written") + " · ";
  }
  const result = JSON.parse(text);
  offer(result);
  at("result").replaceChildren(table(result.meta, result.data.slice(0, SHOWN_ROWS)));
  const cut = result.rows > SHOWN_ROWS ? ` (first ${SHOWN_ROWS} shown)` : "";
  const limited = result.rows >= ROW_LIMIT ? " or more" : "";
  return `${result.rows}${limited} rows${cut} · ${result.statistics.rows_read} read · `;
}

const isNumber = ({ type }) => /^(Nullable\()?(U?Int|Float|Decimal)/.test(type);

/** Shows the buttons that fit the result: a chart needs one number per row. */
function offer(result) {
  shown = result;
  at("download").hidden = result === undefined || result.rows === 0;
  at("chart").hidden = result === undefined || result.rows < 2 || numberColumn(result.meta) < 0;
  at("chart").textContent = "Chart";
}

/** Index of the first numeric column after the label. */
const numberColumn = (meta) => meta.findIndex((column, i) => i > 0 && isNumber(column));

function toggleChart() {
  const isChart = at("chart").textContent === "Table";
  at("chart").textContent = isChart ? "Chart" : "Table";
  const { meta, data } = shown;
  at("result").replaceChildren(isChart ? table(meta, data.slice(0, SHOWN_ROWS)) : bars(meta, data));
}

/** Draws one bar per row: the first column is the label, the first number is the length. */
function bars(meta, data) {
  const of = numberColumn(meta);
  const rows = data.slice(0, CHART_ROWS);
  const longest = Math.max(...rows.map((row) => Math.abs(Number(row[of]))), 1e-9);
  const made = element("table");
  made.className = "chart";
  made.createCaption().textContent = `${meta[of].name} by ${meta[0].name}` + (data.length > CHART_ROWS ? ` (first ${CHART_ROWS} rows)` : "");
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    const bar = element("meter");
    bar.max = longest;
    bar.value = Math.abs(Number(row[of]));
    line.append(element("td", String(row[0])), element("td"), element("td", Number(row[of]).toLocaleString("en"), "number"));
    line.cells[1].append(bar);
  }
  return made;
}

/** Downloads the complete result by repeating the query, because the rows on display are limited. */
async function download() {
  try {
    const { text } = await ask(at("query").value, { default_format: "CSVWithNames", wait_end_of_query: 1 });
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = "result.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    at("status").textContent = error.message;
  }
}

function table(meta, rows) {
  const numeric = meta.map(isNumber);
  const made = element("table");
  const head = made.createTHead().insertRow();
  for (const { name, type } of meta) {
    const cell = element("th", name);
    cell.append(element("small", type));
    head.append(cell);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((value, i) => {
      const text = value === null ? "NULL" : typeof value === "object" ? JSON.stringify(value) : String(value);
      const cell = element("td", text, value === null ? "null" : numeric[i] ? "number" : "");
      if (text.length > 60) cell.title = text;
      line.append(cell);
    });
  }
  return made;
}

const name = (text) => (/^[A-Za-z_]\w*$/.test(text) ? text : "`" + text.replace(/[\\`]/g, "\\$&") + "`");

async function listTables() {
  try {
    const { data } = JSON.parse((await ask(TABLES, JSON_RESULT)).text);
    const open = new Set([...document.querySelectorAll("nav details[open]")].map((group) => group.dataset.name));
    const groups = Map.groupBy(data, ([database]) => database);
    at("tables").replaceChildren(...[...groups].map(([database, rows]) => databaseGroup(database, rows, open)));
    return groups.has("dm");
  } catch (error) {
    at("tables").replaceChildren(element("pre", error.message, "error"));
  }
}

function databaseGroup(database, rows, open) {
  const group = element("details");
  group.dataset.name = database;
  group.open = open.size > 0 ? open.has(database) : OPEN.includes(database);
  group.append(element("summary", `${database} (${rows.length})`));
  for (const [, tableName, count, comment] of rows) {
    const sql = `SELECT *\nFROM ${name(database)}.${name(tableName)}\nLIMIT 100`;
    const button = choice(tableName, { about: comment, sql });
    button.append(element("span", count === null ? "" : Number(count).toLocaleString("en")));
    if (comment !== "") button.append(element("small", comment));
    group.append(button);
  }
  return group;
}

/** Creates an entry of the side list, which shows and runs a statement. */
function choice(title, { about, sql }) {
  const button = element("button");
  button.type = "button";
  button.append(element("span", title));
  button.addEventListener("click", () => choose(about, sql));
  return button;
}

function choose(about, sql) {
  at("about").textContent = about;
  at("query").value = sql;
  return run();
}

at("run").addEventListener("click", run);
at("stop").addEventListener("click", () => running?.abort());
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  run();
});
at("chart").addEventListener("click", toggleChart);
at("download").addEventListener("click", download);
at("dictionary").addEventListener("click", () => choose("All columns of dm, dds and ods.", DICTIONARY));
at("examples").append(...QUESTIONS.map((question) => choice(question.title, question)));
const linked = decodeURIComponent(location.hash.slice(1));
at("query").value = linked || "SELECT version(), now()";
listTables().then((hasMarts) => {
  if (hasMarts && !linked) choose(QUESTIONS[0].about, QUESTIONS[0].sql);
});
