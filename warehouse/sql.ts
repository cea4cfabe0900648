import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database, Params } from "../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../contract/streams.ts";

export const SQL_ROOT = join(import.meta.dirname, "../sql");

export function readStatements(path: string): string[] {
  return splitStatements(readFileSync(join(SQL_ROOT, path), "utf8"));
}

/** Returns the only statement of a file; throws if the file has several. */
export function readQuery(path: string): string {
  const [query, ...more] = readStatements(path);
  if (query === undefined || more.length > 0) throw new Error(`${path} must hold one statement`);
  return query;
}

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
