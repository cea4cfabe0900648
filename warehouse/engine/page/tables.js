import { query } from "./clickhouse.js";
import { at, counted, element } from "./dom.js";

/** @typedef {{ sql: string, title?: string, about: string, chart?: { label: string, value: string }, every?: number }} Entry of the side list */

/** Condition that excludes internal tables: scratch tables, records of loads, readers of Kafka. */
const NOT_INTERNAL = `NOT match(table, '^(work_|load_|\\\\.inner)|_(build|candidate|parsed|mv|queue)$')`;

const READABLE = `lower(database) != 'information_schema' AND database != 'dm_internal'
  AND ${NOT_INTERNAL}`;

/** Marts first, ClickHouse's own tables last. */
const ORDER = `indexOf(['system', 'stg', 'ods', 'dds', 'dm'], database) = 1,
  -indexOf(['stg', 'ods', 'dds', 'dm'], database), database, table`;

const TABLES = `SELECT database, table, total_rows AS rows, comment FROM system.tables
  WHERE NOT is_temporary AND ${READABLE} ORDER BY ${ORDER}`;

const COLUMNS = `SELECT database, table, name, type, comment FROM system.columns
  WHERE ${READABLE} ORDER BY ${ORDER}, position`;

const WORDS = `SELECT
  (SELECT groupUniqArrayArray(splitByChar(' ', keyword)) FROM system.keywords) AS keywords,
  (SELECT groupArray(name) FROM system.functions) AS functions,
  (SELECT groupArray(name) FROM system.data_type_families) AS types`;

/** @type {Entry} */
export const DICTIONARY = {
  about: "All columns of dm, dds and ods.",
  sql: `SELECT concat(database, '.', table) AS table_name, name AS column_name, comment AS meaning, type
FROM system.columns
WHERE database IN ('dm', 'dds', 'ods') AND ${NOT_INTERNAL}
ORDER BY indexOf(['dm', 'dds', 'ods'], database), table, position`,
};

async function rowsOf(sql) {
  const { result } = await query(sql);
  return (result?.data ?? []).map((row) =>
    Object.fromEntries(row.map((value, i) => [result?.meta[i]?.name, value])),
  );
}

/** Returns the sites that the marts have, and the tables that have their names. */
export async function readSites({ tables, columns }) {
  const names = columns.filter(({ name }) => name === "site").map(fullName);
  const stored = tables.filter((table) => table.rows !== null).map(fullName);
  // A view reads stored tables, but the live one reads messages, which have no column of the site.
  const withSite = names.filter((name) => [...stored, "dm.v_live_events"].includes(name));
  const sites = withSite.includes("dm.session")
    ? await rowsOf("SELECT DISTINCT site FROM dm.session ORDER BY site")
    : [];
  return { sites: sites.map(({ site }) => site), tables: withSite };
}

const fullName = ({ database, table }) => `${database}.${table}`;

/** Reads what the user may read: tables, their columns, and the words of SQL. */
export async function readCatalogue() {
  const [tables = [], columns = [], [words] = []] = await Promise.all(
    [TABLES, COLUMNS, WORDS].map(rowsOf),
  );
  return { tables, columns, words };
}

const tableName = ({ database, table }) => `${quoted(database)}.${quoted(table)}`;

const quoted = (name) =>
  /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, "\\$&")}\``;

/**
 * Lists the tables by database.
 * @param {{ tables: any[], columns: any[] }} catalogue
 * @param {{ choose: (entry: Entry) => void, insert: (name: string) => void }} actions of a click
 */
export function listTables({ tables, columns }, actions) {
  const wasOpen = new Set([...at("tables").querySelectorAll("[open]")].map(({ id }) => id));
  const columnsOf = Map.groupBy(columns, tableName);
  const groups = [...Map.groupBy(tables, ({ database }) => database)];
  const lists = groups.map(([database, members]) => {
    const id = `database-${database}`;
    const open = wasOpen.size > 0 ? wasOpen.has(id) : ["dm", "default"].includes(database);
    const items = members.map((table) =>
      tableItem(table, columnsOf.get(tableName(table)) ?? [], actions),
    );
    const summary = element("summary", {}, `${database} (${members.length})`);
    return element("details", { id, open }, summary, ...items);
  });
  at("tables").replaceChildren(...lists);
}

/** Shows a table, whose columns open and close. */
function tableItem(table, columns, { choose, insert }) {
  const { rows, comment, table: title } = table;
  const entry = { about: comment, sql: `SELECT *\nFROM ${tableName(table)}\nLIMIT 100` };
  const count = element("span", {}, rows === null ? "" : counted(rows));
  const list = element("ul", { hidden: true });
  const toggle = button("▸", () => {
    list.hidden = !list.hidden;
    toggle.ariaExpanded = String(!list.hidden);
    if (!list.hasChildNodes()) list.append(...columns.map((column) => columnItem(column, insert)));
  });
  Object.assign(toggle, { ariaLabel: `Columns of ${title}`, ariaExpanded: "false" });
  toggle.className = "toggle";
  const choice = choiceOf(title, entry, choose, count, element("small", {}, comment));
  return element("div", { className: "table" }, toggle, choice, list);
}

function columnItem({ name, type, comment }, insert) {
  const made = button(name, () => insert(quoted(name)), element("small", {}, type));
  made.title = comment;
  return element("li", {}, made);
}

/** Creates a button that chooses an entry. @param {Entry} entry @param {...Node} details */
export function choiceOf(title, entry, choose, ...details) {
  const made = button(title, () => choose(entry), ...details);
  made.className = "choice";
  return made;
}

function button(text, onclick, ...details) {
  return element("button", { type: "button", onclick }, element("span", {}, text), ...details);
}
