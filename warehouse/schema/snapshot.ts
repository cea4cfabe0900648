import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { COMMENT, FUNCTION, type SchemaObject } from "../declared.ts";
import { literal } from "../sql.ts";

const DATABASE_LIST = `(${DATABASES.map((name) => `'${name}'`).join(", ")})`;

/** Series of servers format a query differently, so one server must format both that it compares. */
export const formatted = (query: string): string =>
  `ifNull(formatQuerySingleLineOrNull(${query}), ${query})`;

interface ObjectRow extends Pick<SchemaObject, "object" | "engine" | "comment" | "query"> {
  readonly partition_key: string;
  readonly sorting_key: string;
  readonly engine_full: string;
  readonly create_table_query: string;
}

export async function readSnapshot(db: Database): Promise<SchemaObject[]> {
  const [objects, columns, indexes] = await Promise.all([
    db.rows<ObjectRow>(OBJECTS),
    readParts(db, COLUMNS),
    readParts(db, INDEXES),
  ]);
  return objects.map((row) => {
    const { engineArguments, ttl, settings } = storageOf(row);
    return {
      object: row.object,
      engine: row.engine,
      comment: row.comment,
      engineArguments,
      target: TARGET.exec(row.create_table_query)?.[1] ?? "",
      columns: columns.get(row.object) ?? [],
      indexes: indexes.get(row.object) ?? [],
      partitionKey: row.partition_key,
      sortingKey: row.sorting_key,
      ttl,
      settings,
      query: row.query,
    };
  });
}

/** Tables, views and functions. */
const OBJECTS = `
  SELECT concat(database, '.', name) AS object, engine, partition_key, sorting_key, engine_full, create_table_query, comment,
    ${formatted("as_select")} AS query
  FROM system.tables
  WHERE database IN ${DATABASE_LIST} AND name NOT LIKE '.inner%'
  UNION ALL
  SELECT name, '${FUNCTION}', '', '', '', '', '', ${formatted("create_query")}
  FROM system.functions
  WHERE origin = 'SQLUserDefined' AND startsWith(name, 'dm_')`;

const COLUMNS = `
  SELECT concat(database, '.', table) AS object,
    trimRight(concat(name, ' ', type, ' ', default_kind, ' ', default_expression, ' ', compression_codec)) AS definition,
    concat(definition, if(comment = '', '', ${literal(COMMENT)}), comment) AS text
  FROM system.columns
  WHERE database IN ${DATABASE_LIST}
  ORDER BY object, position`;

const INDEXES = `
  SELECT concat(database, '.', table) AS object,
    concat(name, ' ', expr, ' TYPE ', type_full, ' GRANULARITY ', toString(granularity)) AS text
  FROM system.data_skipping_indices
  WHERE database IN ${DATABASE_LIST}
  ORDER BY object, name`;

/** Reads lines by object. */
async function readParts(db: Database, sql: string): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ object: string; text: string }>(sql);
  const parts = Map.groupBy(rows, ({ object }) => object);
  const lines = (some: typeof rows) => some.map(({ text }) => text.replace(/ {2,}/g, " "));
  return new Map([...parts].map(([object, some]) => [object, lines(some)]));
}

const TARGET = /^CREATE MATERIALIZED VIEW \S+(?: UUID '[^']*')? TO (\S+)/;

/** The default that every MergeTree table prints. */
const DEFAULT_SETTING = "index_granularity = 8192";

/** Reads what a MergeTree table prints as its engine. */
function storageOf({ engine, engine_full }: ObjectRow) {
  if (!engine.endsWith("MergeTree")) return { engineArguments: "", ttl: "", settings: [] };
  const [definition = "", settings = ""] = engine_full.split(" SETTINGS ");
  return {
    engineArguments: argumentsOf(definition),
    ttl: definition.split(" TTL ")[1] ?? "",
    settings: settings
      .split(", ")
      .filter((setting) => setting !== "" && setting !== DEFAULT_SETTING),
  };
}

/** Returns the engine's arguments without the path and the name of a replica. */
function argumentsOf(definition: string): string {
  const [engine = ""] = definition.split(/ (?:PARTITION BY|PRIMARY KEY|ORDER BY|SAMPLE BY|TTL) /);
  const [, list = ""] = /\((.*)\)$/.exec(engine) ?? [];
  const isReplicated = /^(Replicated|Shared)/.test(engine);
  return isReplicated ? list.replace(/^'[^']*', '[^']*'(?:, )?/, "") : list;
}
