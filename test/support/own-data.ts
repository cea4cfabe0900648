import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterAll } from "vitest";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { filesOf, linksOf } from "../../warehouse/import/files.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource } from "../../warehouse/import/source.ts";
import { useTestEngine } from "./use-engine.ts";

/** Folder of the files and datasets of a test file. */
export const dir = mkdtempSync(join(tmpdir(), "own-data-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

export const COLUMNS =
  "row, time, session AS session_id, visitor AS visitor_id, url AS page_url, referrer AS referer_url";

export interface Case {
  readonly name: string;
  readonly content: string | Buffer;
  /** Columns of the SELECT, or a whole source. */
  readonly select?: string;
  readonly append?: boolean;
}

const engine = useTestEngine({ withSchema: false });

/** Opens a folder of events as a database of the one engine of a test file, because a start takes as long as an import. */
export async function openShared(directory: string): Promise<ServerDatabase> {
  const db = engine.db as ServerDatabase;
  const name = `import_${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`;
  if (!existsSync(directory)) await db.run(`DROP DATABASE IF EXISTS ${name}`);
  await db.run(`CREATE DATABASE IF NOT EXISTS ${name}`);
  mkdirSync(directory, { recursive: true });
  rmSync(linksOf(db), { recursive: true, force: true });
  return db.inDatabase(name);
}

/** Imports one file as a dataset of this name. */
export async function imported(set: string, { name, content, select = COLUMNS, append }: Case) {
  mkdirSync(join(dir, set), { recursive: true });
  const file = join(dir, set, name);
  writeFileSync(file, content);
  const source = join(dir, set, "select.sql");
  writeFileSync(
    source,
    select.includes("FROM input") ? select : `-- source: test\n\nSELECT ${select} FROM input`,
  );
  const out = join(dir, set, "set");
  const result = await importFiles(filesOf([file]), readSource(source), {
    dir: out,
    isAppended: append === true,
    open: openShared,
  });
  return { ...result, out };
}

export interface Messages {
  readonly [field: string]: unknown;
}

/** Node's decompressor ends with the first frame of a file, which can have several. */
function unpack(packed: Buffer): string {
  const { buffer, engine } = zstdDecompressSync(packed, { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  const rest = packed.subarray(engine.bytesWritten);
  return `${buffer}${rest.length === 0 ? "" : unpack(rest)}`;
}

export const messages = (out: string, stream: string): Messages[] =>
  unpack(readFileSync(join(out, `${stream}.jsonl.zst`)))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Messages);

export const sortedBy = (out: string, stream: string, field: string): unknown[] =>
  messages(out, stream)
    .map((message) => message[field])
    .sort();

/** Messages of pages in order of time. */
export function pages(out: string): Messages[] {
  const times = new Map(
    messages(out, "browser").map((one) => [one.event_id, String(one.event_timestamp)]),
  );
  const at = (one: Messages): string => times.get(one.event_id) ?? "";
  return messages(out, "location").sort((a, b) => at(a).localeCompare(at(b)));
}
