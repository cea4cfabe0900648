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
  /** A directory of the caller, which is kept; by default a throw-away one. */
  readonly directory?: string;
}

/** The real engine with the schema applied. One directory per process at a time. */
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
  ...["event_enriched", "session", "dq_summary", "load_commit"].map(inLayer("dm")),
];

function inLayer(layer: string): (table: string) => string {
  return (table) => `${layer}.${table}`;
}

/** Empties every table: faster than a new engine per test case. */
export async function clearAll(db: EmbeddedEngine): Promise<void> {
  for (const table of TABLES) await db.run(`TRUNCATE TABLE ${table}`);
}
