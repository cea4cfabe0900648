import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../contract/ports.ts";
import { isRunning } from "../../terminal/process.ts";
import { withLease } from "../batch/lease.ts";
import { escapeTsv } from "../database/tsv.ts";
import { readStatements } from "../sql.ts";
import { keysOfErasedTexts } from "./erased-words.ts";

const HASHES = {
  hashes: "dm_internal.erased",
  secret: "SELECT (low, high) FROM stg.erasure_key",
} as const;

/** Empties what the collector keeps of erased visitors: its database, and the hits that wait in a workspace. */
export const eraseHits = (db: Database): Promise<void> =>
  withLease(db, "erase", async ({ db: held }) => {
    for (const statement of readStatements("etl/erase/known.sql")) await held.run(statement);
    const tables = await held.rows("SELECT 1 FROM system.tables WHERE database = 'hits' LIMIT 1");
    if (tables.length > 0) await eraseDelivered(held);
    if (db.directory !== undefined) await eraseJournal(held, join(db.directory, "journal"));
  });

/** A hit keeps its number, so that the counts of good and bad ones stay. */
async function eraseDelivered(db: Database): Promise<void> {
  const hash = (id: string) => `sipHash128Keyed((${HASHES.secret}), ${id}) IN ${HASHES.hashes}`;
  const ofMessage = ["click_id", "event_id"].map((name) =>
    hash(`lower(JSONExtractString(event, '${name}'))`),
  );
  const words = { key: "number", text: "body", from: "hits.outcome" };
  await db.run(`CREATE OR REPLACE TABLE erased_hit ENGINE = Memory AS
    SELECT number FROM hits.outcome WHERE event != '' AND (${ofMessage.join(" OR ")})
    UNION DISTINCT ${keysOfErasedTexts(words, HASHES)}`);
  const [found] = await db.rows<{ place: string }>(
    "SELECT concat(currentDatabase(), '.erased_hit') AS place",
  );
  const isErased = `number IN (SELECT number FROM ${found?.place})`;
  const changes = [
    ["outcome", `UPDATE body = '', event = '', location = '', reason = 'erased' WHERE ${isErased}`],
    ["hit", `UPDATE body = '', reason = 'erased' WHERE ${isErased}`],
    ["message", `DELETE WHERE ${isErased} OR ${hash("key")}`],
    ["event", `DELETE WHERE ${hash("visitor_id")} OR ${hash("toString(event_id)")}`],
    ["session", `DELETE WHERE ${hash("toString(click_id)")}`],
    ["earlier_session", `DELETE WHERE ${hash("toString(click_id)")}`],
    ["repeated", `DELETE WHERE ${hash("toString(event_id)")}`],
    ["purchase", `DELETE WHERE ${hash("visitor_id")} OR ${hash("toString(event_id)")}`],
  ];
  for (const [table, change] of changes)
    await db.run(`ALTER TABLE hits.${table} ${change} SETTINGS mutations_sync = 2`);
}

/** Empties waiting hits, each in its place. A running collector delivers its files within a second, so they are left. */
async function eraseJournal(db: Database, dir: string): Promise<void> {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const process = join(dir, "collector-process");
  if (existsSync(process) && isRunning(Number(readFileSync(process, "utf8")))) return;
  for (const name of names.filter((one) => one.endsWith(".jsonl"))) {
    const file = join(dir, name);
    const lines = readFileSync(file, "utf8").split("\n");
    await db.run("CREATE OR REPLACE TABLE waiting (number UInt64, body String) ENGINE = Memory");
    await db.insertTsv(
      "waiting",
      ["number", "body"],
      lines.map((line, number) => Buffer.from(`${number}\t${escapeTsv(line)}\n`)),
    );
    const words = { key: "number", text: "body", from: "waiting" };
    const found = await db.rows<{ number: number }>(keysOfErasedTexts(words, HASHES));
    if (found.length === 0) continue;
    for (const { number } of found) {
      const hit = JSON.parse(lines[number] ?? "");
      lines[number] = JSON.stringify({ ...hit, reason: "erased", body: "" });
    }
    writeFileSync(`${file}.draft`, lines.join("\n"));
    renameSync(`${file}.draft`, file);
  }
}
