import type { Database, Params } from "../../contract/ports.ts";
import { sideBySide, type Turns } from "../database/side-by-side.ts";
import { columnsOf } from "../declared.ts";
import { literal, readQuery } from "../sql.ts";
import { type PublishedTable, readSelect, SCOPES, type Scope } from "./published-table.ts";

/** What a load did to a table. */
export type Published = "whole table" | "changed rows" | "nothing";

/** Loads that a table lacks: after `from`, up to `to`; `from` is 0 if the table must be computed as a whole. */
export interface Load {
  readonly from: number;
  readonly to: number;
}

export interface Publishing {
  /** Runs a statement under the lease. */
  readonly run: (sql: string, params?: Params) => Promise<void>;
  readonly turns: Turns;
}

/** Begins small work at once, and large work when it has its turn. */
export const turnFor = (rows: number, params: Params, turns: Turns): Turns =>
  rows > Number(params.rows_side_by_side) ? turns : (work) => work();

/**
 * Publishes a table up to the last load of the layer below. Readers see the old or the new table. After a cut
 * at any statement the next run gives the same table.
 */
export async function publishTable(
  db: Database,
  published: PublishedTable,
  params: Params,
  { run, turns }: Publishing,
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
    const [found, sources] = await sideBySide([
      changeOf(db, published, load, Number(params.changed_share)),
      sourcesOf(db, published),
    ]);
    change = found;
    const next = `dm_internal.next_${target}`;
    await run(dropTable(next));
    await run(`CREATE TABLE ${next} ${change ? "CLONE " : ""}AS ${table}`);
    if (change) {
      const deletions = deletionsOf(published, next, sources, load, change);
      for (const sql of deletions) await run(sql);
    }
    const select = readSelect(table);
    const slices = slicesOf(published, sources, load, Number(params.rows_per_slice), change);
    const inTurn = turnFor(rowsRead(published, sources, change), params, turns);
    await inTurn(async () => {
      for (const slice of slices)
        await run(insertInto(next, table, select, settingsOf(slice)), params);
    });
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

/** Conditions by table. */
export type Filters = ReadonlyMap<string, string>;

/** Returns the settings of a SELECT, which restrict the tables that it reads. */
export function settingsOf(filters: Filters): string {
  const conditions = [...filters].map(
    ([table, condition]) => `${literal(table)}: ${literal(condition)}`,
  );
  return `${SETTINGS}, additional_table_filters = {${conditions.join(", ")}}`;
}

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
}

/** Returns undefined if the whole table must be computed. */
async function changeOf(
  db: Database,
  { rows: scope }: PublishedTable,
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
         GROUP BY entity, epoch)) AS reach`,
    { from: load.from },
  );
  return change && change.ids <= largestShare * change.all_ids ? change : undefined;
}

/** A table that is read or written. */
interface Source {
  readonly partition_key: string;
  readonly rows: number;
}

export type Sources = ReadonlyMap<string, Source>;

/** Returns the tables of a SELECT and the table itself. */
export async function sourcesOf(
  db: Database,
  { publish, from }: Pick<PublishedTable, "publish" | "from">,
): Promise<Sources> {
  const names = [...new Set([publish, ...Object.keys(from)])];
  const found = await db.rows<Source & { name: string }>(READ_TABLES, {
    databases: names.map((name) => name.split(".")[0]),
    names,
  });
  const sources = new Map(found.map((source) => [source.name, source]));
  const missing = names.filter((name) => !sources.has(name));
  if (missing.length > 0) throw new Error(`${publish}: no table ${missing.join(", ")}`);
  return sources;
}

const READ_TABLES = `
  SELECT concat(database, '.', table) AS name, partition_key, assumeNotNull(total_rows) AS rows
  FROM system.tables
  WHERE database IN {databases:Array(String)} AND name IN {names:Array(String)} AND total_rows IS NOT NULL`;

/** Returns statements that delete the changed ids from a clone of the table. A deletion visits every part of its partition. */
function deletionsOf(
  { publish: table, rows: scope = "click" }: PublishedTable,
  next: string,
  sources: Sources,
  load: Load,
  change: Change,
): string[] {
  const condition = changedCondition(table, scope, sources, load, change);
  const months = monthsOf(sources.get(table), scope, change);
  const partitions = months?.map((month) => ` IN PARTITION '${month}'`) ?? [""];
  return partitions.map((partition) => `DELETE FROM ${next}${partition} WHERE ${condition}`);
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
  const slices = 1 + Math.floor(rowsRead({ from }, sources, change) / rowsPerSlice);
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

/** Returns about how many rows a SELECT reads of its largest table. */
function rowsRead(
  { from }: Pick<PublishedTable, "from">,
  sources: Sources,
  change?: Change,
): number {
  const largest = Math.max(...Object.keys(from).map((name) => sources.get(name)?.rows ?? 0), 0);
  return largest * (change ? change.ids / Math.max(1, change.all_ids) : 1);
}
