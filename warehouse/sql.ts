import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database, Params } from "../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../contract/streams.ts";

export const SQL_ROOT = join(import.meta.dirname, "../sql");

/** Tiers of the DDL: `broker` adds readers of Kafka, `service` the tables of `pipeline ingest`. */
export const TIERS = ["all", "broker", "service"] as const;

export type Tier = (typeof TIERS)[number];

export interface DdlFile {
  readonly path: string;
  /** From the first line, such as `-- tier: broker service`. */
  readonly tiers: readonly Tier[];
  readonly statements: readonly string[];
}

export function readStatements(path: string): string[] {
  return splitStatements(readFileSync(join(SQL_ROOT, path), "utf8"));
}

/** Returns the only statement of a file; throws if the file has several. */
export function readQuery(path: string): string {
  const [query, ...more] = readStatements(path);
  if (query === undefined || more.length > 0) throw new Error(`${path} must hold one statement`);
  return query;
}

export function ddlFiles(): DdlFile[] {
  const folders = readdirSync(join(SQL_ROOT, "ddl"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const paths = folders.flatMap((folder) =>
    readdirSync(join(SQL_ROOT, "ddl", folder))
      .sort()
      .map((file) => join("ddl", folder, file)),
  );
  return ["ddl/00_databases.sql", ...paths].map(readDdlFile);
}

function readDdlFile(path: string): DdlFile {
  const text = readFileSync(join(SQL_ROOT, path), "utf8");
  const named = /^-- tier: ([\w ]+)$/.exec(text.split("\n", 1)[0] ?? "")?.[1]?.split(" ") ?? [];
  const tiers = TIERS.filter((known) => named.includes(known));
  if (tiers.length === 0 || tiers.length < named.length) {
    throw new Error(`${path}: the first line must be "-- tier: " and some of ${TIERS.join(", ")}`);
  }
  return { path, tiers, statements: splitStatements(text) };
}

/** Returns the object that a statement creates. */
const createdObject = (statement: string): string | undefined =>
  /^CREATE [A-Z ]+ IF NOT EXISTS (\S+\.\S+)/m.exec(statement)?.[1];

/** Returns the tables and views of every tier in the order of the files. */
export const createdObjects = (): string[] => [
  ...new Set(
    ddlFiles().flatMap(({ statements }) =>
      statements.flatMap((statement) => createdObject(statement) ?? []),
    ),
  ),
];

/** Splits a text into statements, which end with a semicolon at the end of a line. */
export function splitStatements(text: string): string[] {
  return text
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/^--.*$/gm, "").trim() !== "");
}

/** Returns the text as a string literal. */
export const literal = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Names a stream's topic in stg.raw, and its tables in ods. */
export const messageTables = (stream: StreamName) => ({
  topic: streams[stream].topic,
  typed: streams[stream].table,
  errors: `${streams[stream].table}_errors`,
});

export async function perStream<T>(
  db: Database,
  name: string,
  paramsOf: (stream: StreamName) => Params = () => ({}),
): Promise<T[]> {
  const rows: T[] = [];
  for (const stream of STREAMS) {
    const tables = messageTables(stream);
    rows.push(
      ...(await db.rows<T>(readQuery(`checks/${name}.sql`), {
        ...paramsOf(stream),
        ...tables,
        stream,
      })),
    );
  }
  return rows;
}
