import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { filesOf, linksOf } from "../../warehouse/import/files.ts";
import { type ImportOptions, importFiles } from "../../warehouse/import/import.ts";
import { readSource } from "../../warehouse/import/source.ts";
import type { TestEngine } from "./engine.ts";
import { useFolder } from "./use-folder.ts";

/** Folder of the files and datasets of a test file. */
export const dir = useFolder("own-data");

/**
 * Returns a function that opens a folder of events as a database of one engine, because a start takes as long as an
 * import. The next folder takes its place: many tables make the engine slow.
 */
export function openerIn(engine: Pick<TestEngine, "db">) {
  let opened = "";
  return async (directory: string): Promise<ServerDatabase> => {
    const db = engine.db as ServerDatabase;
    if (directory !== opened || !existsSync(directory))
      await db.run("DROP DATABASE IF EXISTS import");
    opened = directory;
    // Files have the same links one after another.
    await db.run("SYSTEM DROP SCHEMA CACHE FOR File");
    await db.run("CREATE DATABASE IF NOT EXISTS import");
    mkdirSync(directory, { recursive: true });
    rmSync(linksOf(db), { recursive: true, force: true });
    return db.inDatabase("import");
  };
}

export const COLUMNS =
  "row, time, session AS session_id, visitor AS visitor_id, url AS page_url, referrer AS referer_url";

export interface Case extends Pick<ImportOptions, "open"> {
  readonly name: string;
  readonly content: string | Buffer;
  /** Columns of the SELECT, or a whole source. */
  readonly select?: string;
  readonly append?: boolean;
}

/** Imports one file as a dataset of this name. */
export async function imported(
  set: string,
  { name, content, select = COLUMNS, append, ...options }: Case,
) {
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
    ...options,
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
