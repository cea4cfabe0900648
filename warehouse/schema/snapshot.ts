import { DATABASES } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { COMMENT, FUNCTION, type SchemaObject } from "../declared.ts";
import { literal } from "../sql.ts";

const DATABASE_LIST = `(${DATABASES.map((name) => `'${name}'`).join(", ")})`;

/** Series of servers format a query differently, so one server must format both that it compares. */
export const formatted = (query: string): string =>
  `ifNull(formatQuerySingleLineOrNull(${query}), ${query})`;

interface ObjectRow {
  object: string;
  engine: string;
  partition_key: string;
  sorting_key: string;
  query: string;
  engine_full: string;
  create_table_query: string;
  comment: string;
}

interface PartRow {
  object: string;
  text: string;
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
  const parts = new Map<string, string[]>();
  for (const { object, text } of await db.rows<PartRow>(sql)) {
    const line = text.replace(/ {2,}/g, " ");
    parts.set(object, [...(parts.get(object) ?? []), line]);
  }
  return parts;
}

const TARGET = /^CREATE MATERIALIZED VIEW \S+(?: UUID '[^']*')? TO (\S+)/;

/** The default that every MergeTree table prints. */
const DEFAULT_SETTING = "index_granularity = 8192";

interface Engine {
  readonly engine: string;
  readonly engine_full: string;
}

type Storage = Pick<SchemaObject, "engineArguments" | "ttl" | "settings">;

/** Reads what a MergeTree table prints as its engine. */
function storageOf({ engine, engine_full }: Engine): Storage {
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
  return isReplicated(engine) ? list.replace(/^'[^']*', '[^']*'(?:, )?/, "") : list;
}

const isReplicated = (engine: string): boolean => /^(Replicated|Shared)/.test(engine);
