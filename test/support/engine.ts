import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";

export interface TestEngine extends AsyncDisposable {
  readonly db: EmbeddedEngine;
  readonly directory: string;
}

export interface TestEngineOptions {
  readonly withSchema?: boolean;
  /** Directory, which is kept; default: a temporary one. */
  readonly directory?: string;
}

/** Opens the real engine with the schema. A process can open a directory only once. */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const { withSchema = true } = options;
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "engine-"));
  const db = new EmbeddedEngine(directory);
  if (withSchema) await applyDdl(db, "all");
  return {
    db,
    directory,
    async [Symbol.asyncDispose]() {
      await db.close();
      if (!options.directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Rows that a query reads, including those of scalar subqueries, which EXPLAIN leaves out. */
export async function rowsReadBy(db: EmbeddedEngine, sql: string): Promise<number> {
  const result = JSON.parse((await db.query(sql, "JSON")).text()) as {
    statistics: { rows_read: number };
  };
  return result.statistics.rows_read;
}

const TABLES = [
  ...["epoch", "manifest", "browser_raw", "location_raw", "device_raw", "geo_raw"].map(
    inLayer("stg"),
  ),
  ...["load_range", "load_commit"].map(inLayer("ods")),
  ...["browser", "location", "device", "geo"].flatMap((stream) => [
    `ods.${stream}_event`,
    `ods.${stream}_event_errors`,
  ]),
  ...["event", "click", "load_commit", "integrity_check"].map(inLayer("dds")),
  ...["work_touched", "work_repeated", "work_range"].map(inLayer("dds")),
  ...["event_enriched", "session", "page_view", "visitor"].map(inLayer("dm")),
  ...["dq_summary", "dq_summary_log", "complete_period", "truth"].map(inLayer("dm")),
  ...["load_commit", "previous_visitor"].map(inLayer("dm_internal")),
];

function inLayer(layer: string): (table: string) => string {
  return (table) => `${layer}.${table}`;
}

/** Empties every table, which is faster than a new engine per test case. */
export async function clearAll(db: EmbeddedEngine): Promise<void> {
  for (const table of TABLES) await db.run(`TRUNCATE TABLE ${table}`);
}
