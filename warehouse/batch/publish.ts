import { createHash } from "node:crypto";
import type { Database, Params } from "../../contract/ports.ts";
import { columnsOf } from "../declared.ts";
import { literal, readQuery } from "../sql.ts";

/** The key by which a table of changed ids selects rows. */
export const SCOPES = {
  event: "event_id",
  click: "click_id",
  session: "click_id",
  visitor_click: "click_id",
  visitor: "user_custom_id",
} as const;

export type Scope = keyof typeof SCOPES;

/** A table that is one SELECT: `sql/etl/<database>/<table>.sql`. */
export interface PublishedTable {
  /** Such as `dm.session`. */
  readonly publish: string;
  /** The rows that a load replaces; without it, every load replaces the whole table. */
  readonly rows?: Exclude<Scope, "visitor_click"> | undefined;
  /** The tables that the SELECT reads, each with the rows that it needs for these. */
  readonly from: Readonly<Record<string, Scope>>;
}

/** What a load did to a table. */
export type Published = "whole table" | "changed rows" | "nothing";

/** Loads that a table lacks: after `from`, up to `to`; `from` is 0 if the table must be computed as a whole. */
export interface Load {
  readonly from: number;
  readonly to: number;
}

/**
 * Publishes a table up to the last load of the layer below. Readers see the old or the new table. After a cut
 * at any statement the next run gives the same table.
 * @param run runs a statement under the lease
 */
export async function publishTable(
  db: Database,
  published: PublishedTable,
  params: Params,
  run: (sql: string, params?: Params) => Promise<void>,
): Promise<Published> {
  const { publish: table, from } = published;
  const [layer, target] = table.split(".");
  // dds is committed once for its tables, so its step knows the load.
  const own =
    layer === "dds" ? params : await loadOfMart(db, { ...params, target, sources: martsOf(from) });
  const load = { from: Number(own.from_load), to: Number(own.to_load) };
  const isNew = published.rows === undefined || load.from === 0 || load.from < load.to;
  let change: Change | undefined;
  if (isNew) {
    change = await changeOf(db, published, load, Number(params.changed_share));
    const next = `dm_internal.next_${target}`;
    const sources = await sourcesOf(db, published);
    await run(dropTable(next));
    await run(`CREATE TABLE ${next} AS ${table}`);
    if (change) {
      for (const sql of cloneWithoutChanged(published, next, sources, load, change)) await run(sql);
    }
    const select = readSelect(table);
    for (const slice of slicesOf(published, sources, load, Number(params.rows_per_slice), change)) {
      await run(insertInto(next, table, select, settingsOf(slice)), params);
    }
    if (layer === "dds" && !change) {
      const kept = `SELECT * FROM ${table} WHERE ${OF_EXPIRED}`;
      await run(insertInto(next, table, kept, SETTINGS));
    }
    await run(`EXCHANGE TABLES ${table} AND ${next}`);
    await run(dropTable(next));
  }
  if (layer === "dm") {
    const commit = readQuery("etl/changed/commit_mart.sql");
    await run(commit, { ...params, target, to_load: load.to });
  }
  if (!isNew) return "nothing";
  return change === undefined ? "whole table" : "changed rows";
}

/** The default of the setting refuses to drop 50 GB, but these rows are in the published table. */
const dropTable = (name: string): string =>
  `DROP TABLE IF EXISTS ${name} SETTINGS max_table_size_to_drop = 0`;

/**
 * One row per session is grouped in the order of dds.event; months of history need many partitions. Ids are random,
 * so the primary key skips little of them, but its analysis computes their sets in one thread.
 */
export const SETTINGS =
  "optimize_aggregation_in_order = 1, max_partitions_per_insert_block = 0, use_index_for_in_with_subqueries = 0";

/** Selects the rows of dds whose messages have left ods. */
export const OF_EXPIRED = "click_id IN (SELECT click_id FROM dds.expired_click WHERE NOT has_left)";

/** The SELECT that gives every row of a table. */
export const readSelect = (table: string): string =>
  readQuery(`etl/${table.replace(".", "/")}.sql`);

/** Inserts the rows of a SELECT by the names of a table's columns, whatever their order in the SELECT. */
export function insertInto(
  target: string,
  table: string,
  select: string,
  settings: string,
): string {
  const names = columnsOf(table).map(({ name }) => name);
  return `INSERT INTO ${target} (${names.join(", ")})
SELECT ${names.join(", ")} FROM (
${select}
) SETTINGS ${settings}`;
}

/** Returns the tables of ods, dds and dm that the SELECT of a table reads, as the database resolves them. */
export async function tablesReadBy(db: Database, table: string): Promise<Set<string>> {
  const lines = await db.rows<{ name: string }>(
    `SELECT DISTINCT extract(explain, 'table_name: ((?:ods|dds|dm)[.][a-z_]+)') AS name
     FROM (EXPLAIN QUERY TREE ${readSelect(table)})
     WHERE name != ''`,
  );
  return new Set(lines.map(({ name }) => name));
}

/** Conditions by table. */
export type Filters = ReadonlyMap<string, string>;

/** Returns the settings of a SELECT, which restrict the tables that it reads. */
export function settingsOf(filters: Filters): string {
  const conditions = [...filters].map(
    ([table, condition]) => `${literal(table)}: ${literal(condition)}`,
  );
  return `${SETTINGS}, additional_table_filters = {${conditions.join(", ")}}`;
}

/**
 * Returns a hash for dds and one for the marts; a table whose commit has another is computed as a whole. The hash
 * changes with every SELECT and column of the layer and those below, and that of the marts with the site, the lists of
 * names and the functions, too.
 */
export async function definitionsOf(db: Database, tables: readonly string[]): Promise<Params> {
  const [[formatted], ...lists] = await Promise.all([
    db.rows<{ selects: string[] }>(
      "SELECT arrayMap(text -> formatQuerySingleLine(text), {selects:Array(String)}) AS selects",
      { selects: tables.map(readSelect) },
    ),
    ...LISTS.map((list) => db.rows<object>(`SELECT * FROM ${list} ORDER BY ALL`)),
  ]);
  const texts = (formatted?.selects ?? []).map(
    (select, at) => `${select} ${columnTypes(tables[at] ?? "")}`,
  );
  return {
    dds_definition: hashOf(texts.filter((_, at) => tables[at]?.startsWith("dds."))),
    definition: hashOf([...texts, JSON.stringify(lists)]),
  };
}

const columnTypes = (table: string): string =>
  columnsOf(table)
    .map(({ name, type }) => `${name} ${type}`)
    .join(", ");

const hashOf = (texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16);

/** What the SELECT of a mart may read beside tables. */
const LISTS = [
  "dm_internal.site",
  "dm_internal.referring_site",
  "(SELECT create_query FROM system.functions WHERE origin = 'SQLUserDefined' AND startsWith(name, 'dm_'))",
];

async function loadOfMart(db: Database, params: Params): Promise<Params> {
  const [load] = await db.rows<Params>(readQuery("etl/changed/load_of_mart.sql"), params);
  if (!load) throw new Error("etl/changed/load_of_mart.sql returned no row");
  return load;
}

const martsOf = (from: PublishedTable["from"]): string[] =>
  Object.keys(from).flatMap((table) => (table.startsWith("dm.") ? [table.replace("dm.", "")] : []));

/** The table with one row per id. */
const TABLE_OF: Readonly<Record<(typeof SCOPES)[Scope], string>> = {
  event_id: "dds.event",
  click_id: "dds.click",
  user_custom_id: "dm.visitor",
};

/** What the loads changed that a table lacks. */
interface Change {
  readonly ids: number;
  /** Ids of the table with one row per id. */
  readonly all_ids: number;
  /** Months with rows of the changed ids. */
  readonly months: readonly string[];
  /** Lowest offset of a message of the changed ids: table of ods, epoch, offset. */
  readonly reach: readonly (readonly [string, number, number])[];
  readonly partitions: readonly string[];
}

/** Returns undefined if the whole table must be computed. */
async function changeOf(
  db: Database,
  { publish: table, rows: scope }: PublishedTable,
  load: Load,
  largestShare: number,
): Promise<Change | undefined> {
  if (scope === undefined || load.from === 0) return undefined;
  const since = "WHERE load_id > {from:UInt64}";
  const [change] = await db.rows<Change>(
    `SELECT
       (SELECT count() FROM dm_internal.changed_${scope} ${since}) AS ids,
       (SELECT count() FROM ${TABLE_OF[SCOPES[scope]]}) AS all_ids,
       (SELECT groupUniqArray(toString(month)) FROM dm_internal.changed_month ${since}) AS months,
       (SELECT groupArray((entity, epoch, first_offset)) FROM (
         SELECT entity, epoch, min(first_offset) AS first_offset FROM dm_internal.changed_reach ${since}
         GROUP BY entity, epoch)) AS reach,
       (SELECT arraySort(groupUniqArray(partition_id)) FROM system.parts
         WHERE active AND database = {database:String} AND table = {table:String}) AS partitions`,
    { from: load.from, database: table.split(".")[0], table: table.split(".")[1] },
  );
  return change && change.ids <= largestShare * change.all_ids ? change : undefined;
}

/** A table that is read or written. */
interface Source {
  readonly partition_key: string;
  readonly rows: number;
}

export type Sources = ReadonlyMap<string, Source>;

/**
 * Returns the tables of a SELECT and the table itself.
 * @throws Error if a load of changed ids would lose or double rows
 */
export async function sourcesOf(
  db: Database,
  { publish, rows, from }: PublishedTable,
): Promise<Sources> {
  const read = rows === undefined ? [] : await tablesReadBy(db, publish);
  const unknown = [...read].filter((table) => !(table in from));
  if (unknown.length > 0) {
    throw new Error(
      `etl/plan.yaml: ${publish} reads ${unknown.join(", ")}, which \`from\` does not name`,
    );
  }
  const otherKey = Object.entries(from).find(([, scope]) => rows && SCOPES[scope] !== SCOPES[rows]);
  if (rows !== undefined && otherKey) {
    throw new Error(
      `etl/plan.yaml: ${publish} replaces rows by ${SCOPES[rows]}, so it cannot read ${otherKey[0]} by ${SCOPES[otherKey[1]]}: slices would lose joined rows`,
    );
  }
  const names = [...new Set([publish, ...Object.keys(from)])];
  const found = await db.rows<Source & { name: string; has_known_partitions: boolean }>(
    READ_TABLES,
    { names },
  );
  const sources = new Map(found.map((source) => [source.name, source]));
  const missing = names.filter((name) => !sources.has(name));
  if (missing.length > 0) throw new Error(`${publish}: no table ${missing.join(", ")}`);
  const wrong = found.find(({ has_known_partitions }) => !has_known_partitions);
  if (wrong) {
    throw new Error(
      `${wrong.name} has PARTITION BY ${wrong.partition_key}; allowed: nothing, or toStartOfMonth(COLUMN) of a DateTime64 in UTC`,
    );
  }
  return sources;
}

const READ_TABLES = `
  SELECT concat(database, '.', table) AS name, partition_key, assumeNotNull(total_rows) AS rows,
    partition_key = '' OR (database, table, partition_key) IN (
      SELECT database, table, concat('toStartOfMonth(', name, ')') FROM system.columns
      WHERE type LIKE 'DateTime64(%UTC%') AS has_known_partitions
  FROM system.tables
  WHERE concat(database, '.', table) IN {names:Array(String)} AND total_rows IS NOT NULL`;

/**
 * Returns statements that put the table into its clone, without the rows of the changed ids. A deletion visits every
 * part, so partitions without such rows come after it.
 */
function cloneWithoutChanged(
  { publish: table, rows: scope = "click" }: PublishedTable,
  next: string,
  sources: Sources,
  load: Load,
  change: Change,
): string[] {
  const months = monthsOf(sources.get(table), scope, change)?.map((month) =>
    month.replaceAll("-", ""),
  );
  const attach = (partitions: readonly string[]): string[] => {
    const commands = partitions.map((id) => `ATTACH PARTITION ID '${id}' FROM ${table}`);
    return commands.length === 0 ? [] : [`ALTER TABLE ${next} ${commands.join(", ")}`];
  };
  const { true: changed = [], false: unchanged = [] } = Object.groupBy(change.partitions, (id) =>
    String(months?.includes(id) ?? true),
  );
  const condition = changedCondition(table, scope, sources, load, change);
  return [
    ...attach(changed),
    ...(changed.length === 0 ? [] : [`DELETE FROM ${next} WHERE ${condition}`]),
    ...attach(unchanged),
  ];
}

/** Returns the months in which a table has rows of the changed ids, or undefined if it may have them anywhere. */
const monthsOf = (
  source: Source | undefined,
  scope: Scope,
  { months }: Change,
): readonly string[] | undefined =>
  source?.partition_key === "" || scope === "visitor" || scope === "visitor_click"
    ? undefined
    : months;

/** Selects the rows of the changed ids, in the only months and offsets where they can be. */
function changedCondition(
  table: string,
  scope: Scope,
  sources: Sources,
  load: Load,
  change: Change,
): string {
  const key = SCOPES[scope];
  const ids = `${key} IN (SELECT ${key} FROM dm_internal.changed_${scope} WHERE load_id > ${load.from})`;
  if (isMessage(table)) {
    const reach = change.reach.flatMap(([entity, epoch, offset]) =>
      `ods.${entity}` === table ? [`epoch = ${epoch} AND _offset >= ${offset}`] : [],
    );
    return `${ids} AND (${reach.join(" OR ") || "false"})`;
  }
  const source = sources.get(table);
  const months = monthsOf(source, scope, change)?.map((month) => `'${month}'`);
  if (months === undefined) return ids;
  return months.length === 0 ? "false" : `${ids} AND ${source?.partition_key} IN (${months})`;
}

const isMessage = (table: string): boolean => table.startsWith("ods.");

/**
 * Returns the filters of the slices in which the SELECT gives the table or its changed rows: rows by a hash of their
 * key, so that joined rows stay together. They restrict the table itself likewise.
 */
export function slicesOf(
  { publish, rows = "click", from }: PublishedTable,
  sources: Sources,
  load: Load,
  rowsPerSlice: number,
  change?: Change,
): Filters[] {
  const largest = Math.max(...Object.keys(from).map((name) => sources.get(name)?.rows ?? 0), 0);
  const part = change ? change.ids / Math.max(1, change.all_ids) : 1;
  const slices = 1 + Math.floor((largest * part) / rowsPerSlice);
  return Array.from({ length: slices }, (_, slice) => {
    const filters = Object.entries({ ...from, [publish]: rows }).map(([table, scope]) => {
      const conditions = [
        ...(change ? [changedCondition(table, scope, sources, load, change)] : []),
        ...(isMessage(table) ? [`load_id <= ${load.to}`] : []),
        // The number of a session depends on all sessions of its visitor.
        ...(slices > 1 && scope !== "visitor_click"
          ? [`cityHash64(${SCOPES[scope]}) % ${slices} = ${slice}`]
          : []),
      ];
      return [table, conditions.join(" AND ") || "true"] as const;
    });
    return new Map(filters);
  });
}
