import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, ReadableDatabase } from "../../contract/ports.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { applyDdl, ddlFilesOf } from "../../warehouse/schema/ddl.ts";

export interface TestEngine extends AsyncDisposable {
  readonly db: ReadableDatabase;
  readonly directory: string;
}

export interface TestEngineOptions {
  readonly withSchema?: boolean;
  /** Directory, which is kept; default: a temporary one. */
  readonly directory?: string;
}

/** Starts the real engine on a workspace, with the schema if the workspace is new. */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "engine-"));
  if (options.withSchema ?? true) await addSchema(directory);
  const db = await openWorkspace(directory);
  return {
    db,
    directory,
    async [Symbol.asyncDispose]() {
      await db.close();
      if (!options.directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Copies the schema into an empty directory, which is faster than its statements. */
export async function addSchema(directory: string): Promise<void> {
  if (existsSync(directory) && readdirSync(directory).length > 0) return;
  cpSync(await schemaTemplate(), directory, { recursive: true, verbatimSymlinks: true });
}

/** Returns a workspace with the schema, which the first test creates. */
async function schemaTemplate(): Promise<string> {
  const content = createHash("sha256")
    .update(JSON.stringify(ddlFilesOf("all")))
    .digest("hex");
  const template = join(tmpdir(), `schema-${content.slice(0, 16)}`);
  if (existsSync(template)) return template;
  const draft = mkdtempSync(join(tmpdir(), "schema-draft-"));
  const db = await openWorkspace(draft);
  await applyDdl(db, "all");
  await db.close();
  try {
    renameSync(draft, template);
  } catch (error) {
    // Another test has created it in the meantime.
    if (!existsSync(template)) throw error;
    rmSync(draft, { recursive: true });
  }
  return template;
}

/** Rows that a query reads, including those of scalar subqueries, which EXPLAIN leaves out. */
export async function rowsReadBy(db: ReadableDatabase, sql: string): Promise<number> {
  const result = JSON.parse((await db.read(sql, "JSON")).toString()) as {
    statistics: { rows_read: number };
  };
  return result.statistics.rows_read;
}

/** Empties every table of the layers that has rows, which is faster than a new engine per test case. */
export async function clearAll(db: Database): Promise<void> {
  const tables = await filledTables(db);
  await Promise.all(tables.map((table) => db.run(`TRUNCATE TABLE ${table}`)));
}

/** Keeps the rows of the layers. @returns what brings them back, which is faster than a load per test case */
export async function keepAll(db: Database): Promise<() => Promise<void>> {
  const tables = await filledTables(db);
  const copyOf = (table: string): string => `kept.${table.replace(".", "_")}`;
  await db.run("CREATE DATABASE kept");
  await Promise.all(
    tables.map((table) => db.run(`CREATE TABLE ${copyOf(table)} CLONE AS ${table}`)),
  );
  return async () => {
    await clearAll(db);
    await Promise.all(
      tables.map((table) =>
        db.run(`ALTER TABLE ${table} ATTACH PARTITION ALL FROM ${copyOf(table)}`),
      ),
    );
  };
}

async function filledTables(db: Database): Promise<string[]> {
  const tables = await db.rows<{ name: string }>(
    `SELECT concat(database, '.', name) AS name FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal') AND engine LIKE '%MergeTree' AND total_rows > 0`,
  );
  return tables.map(({ name }) => name);
}
