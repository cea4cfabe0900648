import { createHash } from "node:crypto";
import type { Database, Params } from "../../contract/ports.ts";
import { readQuery } from "../sql.ts";

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
  readonly rows?: Scope | undefined;
  /** The tables that the SELECT reads, each with the rows that it needs for these. */
  readonly from: Readonly<Record<string, Scope>>;
}

/** Loads that a table lacks: after `from`, up to `to`; `from` is 0 if the table must be computed as a whole. */
export interface Load {
  readonly from: number;
  readonly to: number;
}

/** Part of all ids from which computing the whole table is faster, and needs less memory. */
const MANY = 0.2;

/**
 * Publishes a table up to the last load of the layer below. Readers see the old or the new table. After a cut
 * at any statement the next run gives the same table.
 * @param run runs a statement under the lease
 */
export async function publishTable(
  db: Database,
  { publish: table, rows, from }: PublishedTable,
  params: Params,
  run: (sql: string, params?: Params) => Promise<void>,
): Promise<void> {
  const select = readSelect(table);
  const [layer, target] = table.split(".");
  // dds is committed once for its tables, so its step knows the load.
  const own =
    layer === "dds" ? params : await loadOfMart(db, { ...params, target, sources: martsOf(from) });
  const load = { from: Number(own.from_load), to: Number(own.to_load) };
  const next = `dm_internal.next_${target}`;
  const insert = (filters: Filters): Promise<void> =>
    run(`INSERT INTO ${next}\n${restrict(select, filters)}\nSETTINGS ${SETTINGS}`, params);

  const isWhole = rows === undefined || load.from === 0 || (await isLarge(db, table, rows, load));
  if (isWhole || load.from < load.to) {
    await run(`DROP TABLE IF EXISTS ${next}`);
    await run(`CREATE TABLE ${next} AS ${table}`);
    if (isWhole) {
      const rowsPerPart = Number(params.rows_per_part);
      const parts = await partsOf(db, { publish: table, rows, from }, load, rowsPerPart);
      for (const part of parts) await insert(part);
    } else {
      const filters = await changedFilters(db, { ...from, [table]: rows }, load);
      for (const id of await partitionsOf(db, table)) {
        await run(`ALTER TABLE ${next} ATTACH PARTITION ID '${id}' FROM ${table}`);
      }
      await run(`DELETE FROM ${next} WHERE ${filters.get(table)}`);
      await insert(filters);
    }
    await run(`EXCHANGE TABLES ${table} AND ${next}`);
  }
  if (layer === "dm") {
    const commit = readQuery("etl/changed/commit_mart.sql");
    await run(commit, { ...params, target, to_load: load.to });
  }
  await run(`DROP TABLE IF EXISTS ${next}`);
}

/** One row per session is grouped in the order of dds.event; months of history need many partitions. */
export const SETTINGS = "optimize_aggregation_in_order = 1, max_partitions_per_insert_block = 0";

/** The SELECT that gives every row of a table, without comments and semicolon. */
export const readSelect = (table: string): string =>
  readQuery(`etl/${table.replace(".", "/")}.sql`)
    .replaceAll(/^ *--.*\n/gm, "")
    .replace(/;$/, "");

/** Conditions by table. */
export type Filters = ReadonlyMap<string, string>;

/** Restricts the tables that a SELECT reads. The setting additional_table_filters takes no subquery in 25.1. */
export const restrict = (select: string, filters: Filters): string =>
  select.replaceAll(/\b(ods|dds|dm)\.\w+\b/g, (table) => {
    const filter = filters.get(table);
    return filter === undefined ? table : `(SELECT * FROM ${table} WHERE ${filter})`;
  });

async function partitionsOf(db: Database, table: string): Promise<string[]> {
  const partitions = await db.rows<{ id: string }>(
    `SELECT DISTINCT partition_id AS id FROM system.parts
     WHERE active AND concat(database, '.', table) = {table:String} ORDER BY id`,
    { table },
  );
  return partitions.map(({ id }) => id);
}

/**
 * Returns a hash for dds and one for the marts; a table whose commit has another is computed as a whole. The hash
 * changes with every SELECT of the layer and those below, and that of the marts with the site, too.
 */
export async function definitionsOf(db: Database, tables: readonly string[]): Promise<Params> {
  const [row] = await db.rows<object>(`SELECT * FROM ${SITE}`);
  const dds = tables.filter((table) => table.startsWith("dds."));
  return {
    dds_definition: hashOf(dds.map(readSelect)),
    definition: hashOf([...tables.map(readSelect), JSON.stringify(row)]),
  };
}

const hashOf = (texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16);

const SITE = "dm_internal.site";

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

/** True if many ids have changed, or if the table is empty, because someone may have emptied it. */
async function isLarge(db: Database, table: string, scope: Scope, load: Load): Promise<boolean> {
  const all = TABLE_OF[SCOPES[scope]];
  const [counted] = await db.rows<{ changed: number; ids: number; rows: number }>(
    `SELECT
       (SELECT uniqExact(${SCOPES[scope]}) FROM dm_internal.changed_${scope} WHERE load_id > {from:UInt64}) AS changed,
       (SELECT count() FROM ${all}) AS ids,
       (SELECT count() FROM ${table}) AS rows`,
    { from: load.from },
  );
  return counted === undefined || counted.rows === 0 || counted.changed > MANY * counted.ids;
}

interface Source {
  readonly name: string;
  readonly partition_key: string;
  readonly rows: number;
}

async function tablesOf(db: Database, names: readonly string[]): Promise<Source[]> {
  const found = await db.rows<Source>(READ_TABLES, { names });
  if (found.length !== names.length) throw new Error(`${names.join(", ")}: some do not exist`);
  return found;
}

const READ_TABLES = `
  SELECT concat(database, '.', table) AS name, partition_key, assumeNotNull(total_rows) AS rows
  FROM system.tables
  WHERE concat(database, '.', table) IN {names:Array(String)} AND total_rows IS NOT NULL`;

const isMessage = (table: string): boolean => table.startsWith("ods.");
const committed = (load: Load): string => `load_id <= ${load.to}`;

/** Returns the filters by which each table gives the rows of the changed ids. */
async function changedFilters(
  db: Database,
  scopes: Readonly<Record<string, Scope>>,
  load: Load,
): Promise<Filters> {
  const tables = await tablesOf(db, Object.keys(scopes));
  return new Map(
    tables.map((table) => [table.name, changedFilter(table, scopes[table.name] ?? "click", load)]),
  );
}

/** Selects the rows of the changed ids, in the only months and offsets where they can be. */
function changedFilter({ name, partition_key }: Source, scope: Scope, load: Load): string {
  const since = `load_id > ${load.from}`;
  const key = SCOPES[scope];
  const ids = `${key} IN (SELECT ${key} FROM dm_internal.changed_${scope} WHERE ${since})`;
  if (isMessage(name)) {
    const entity = `entity = '${name.replace("ods.", "")}'`;
    const reach = `(SELECT min(first_offset) FROM dm_internal.changed_reach WHERE ${since} AND ${entity})`;
    return `${ids} AND ${committed(load)} AND _offset >= ${reach}`;
  }
  return partition_key === "" || scope === "visitor" || scope === "visitor_click"
    ? ids
    : `${ids} AND ${partition_key} IN (SELECT month FROM dm_internal.changed_month WHERE ${since})`;
}

/**
 * Returns the filters of the parts in which the SELECT gives the whole table: rows by a hash of their key, so that
 * joined rows stay together. They restrict the table itself likewise.
 */
export async function partsOf(
  db: Database,
  { publish, rows = "click", from }: PublishedTable,
  load: Load,
  rowsPerPart: number,
): Promise<Filters[]> {
  const sources = await tablesOf(db, Object.keys(from));
  const largest = Math.max(0, ...sources.map((source) => source.rows));
  const parts = 1 + Math.floor(largest / rowsPerPart);
  const scopes = Object.entries({ ...from, [publish]: rows });
  return Array.from({ length: parts }, (_, part) => {
    const filters = scopes.map(([name, scope]) => {
      // The number of a session depends on all sessions of its visitor.
      const isInPart =
        parts > 1 && scope !== "visitor_click"
          ? `cityHash64(${SCOPES[scope]}) % ${parts} = ${part}`
          : "true";
      return [name, isMessage(name) ? `${isInPart} AND ${committed(load)}` : isInPart] as const;
    });
    return new Map(filters);
  });
}
