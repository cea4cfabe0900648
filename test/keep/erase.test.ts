import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { Delivery } from "../../warehouse/hits/delivery.ts";
import { importFiles } from "../../warehouse/import/import.ts";
import { readSource } from "../../warehouse/import/source.ts";
import {
  beginErasure,
  eraseAgain,
  finishErasures,
  previewErasure,
  readErasures,
} from "../../warehouse/keep/erase.ts";
import { requireRestorable, restoreSnapshot } from "../../warehouse/keep/restore.ts";
import { takeSnapshot } from "../../warehouse/keep/snapshot.ts";
import { loadIntoStg } from "../../warehouse/loader/stg.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  type Message,
} from "../support/messages.ts";
import { digestsOf, load, loadSample, newEpoch, publish } from "../support/pipeline.ts";
import { beforeStatements, killedAt, statementsOf } from "../support/replace-methods.ts";
import { filesWith } from "../support/stored-bytes.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { useFolder } from "../support/use-folder.ts";

const state = useFolder("erase");
// The engine reads it when it starts.
vi.stubEnv("EVENT_PIPELINE_STATE", state);
const engine = useTestEngine();
let db: Database;
beforeAll(() => {
  db = engine.db;
});
beforeEach(async () => {
  await clearAll(db);
  await loadSample(db, 200);
});

/** The visitor with the most sessions, and the ids of these sessions. */
async function someVisitor(where = "true") {
  const [visitor] = await db.rows<{ id: string; account: string | null; clicks: string[] }>(
    `SELECT user_custom_id AS id, max(user_domain_id) AS account, groupArray(toString(click_id)) AS clicks
     FROM dds.click WHERE user_custom_id != '' AND ${where} GROUP BY id ORDER BY count() DESC, id LIMIT 1`,
  );
  if (!visitor) throw new Error("the sample has no such visitor");
  return visitor;
}

/** @throws unless the layers equal what they give without the visitor, and every message is accounted for */
async function requireErased(id: string): Promise<void> {
  const { verdict, notes } = await prove(db);
  expect(verdict).toBe("accounted");
  expect(notes[0]).toMatch(/^Erased: \d+ messages, which count as rejected; a defect/);
  const { layers, unchecked } = await proveDeep(db);
  expect([layers, unchecked]).toEqual([[], []]);
  expect((await previewErasure(db, [id])).messages).toBe(0);
}

const erase = async (id: string, into: Database = db) => {
  await beginErasure(into, [id], "request 7");
  await eraseAgain(into);
};

test("no stored file has an erased visitor, also of messages that were rejected", async () => {
  const { id, clicks } = await someVisitor();
  // Nobody says what it sent.
  const epoch = await newEpoch(db);
  await db.run(
    `INSERT INTO stg.raw (epoch, _topic, _partition, _offset, _key, raw)
     SELECT {epoch:UInt64}, 'device_events', 0, 0, 'a', {raw:String}`,
    { epoch, raw: `{"click_id":"${clicks[0]?.toUpperCase()}","user_custom_id":"${id}","os":` },
  );
  await load(db, "incremental");
  // Rows that a deletion only marks are still in the files.
  await db.run(
    `INSERT INTO ods.device_event SELECT * REPLACE (99999 AS load_id) FROM ods.device_event WHERE user_custom_id = {id:String}`,
    { id },
  );
  await db.run("DELETE FROM ods.device_event WHERE load_id = 99999");
  const before = filesWith(engine.directory, [id, ...clicks]);
  expect(before.length).toBeGreaterThan(15);
  const found = await previewErasure(db, [id]);
  expect(found).toMatchObject({ unknown: [], sessions: clicks.length });
  expect(found.tables.map(({ table }) => table)).toContain("ods.device_event_errors");
  await beginErasure(db, [id], "request 7");
  expect((await readErasures(db)).at(-1)).toMatchObject({
    request: "request 7",
    finished_at: null,
  });
  await finishErasures(db);
  expect((await readErasures(db)).at(-1)?.finished_at).not.toBeNull();
  expect(filesWith(engine.directory, [id, ...clicks])).toEqual([]);
  await requireErased(id);
});

test("an account has all of its sessions, and those without an account of its visitors", async () => {
  const { id, account, clicks } = await someVisitor("isNotNull(user_domain_id)");
  const anonymous = crypto.randomUUID();
  await db.run(
    `INSERT INTO stg.raw (epoch, _topic, _partition, _offset, _key, raw)
     SELECT max(epoch), 'device_events', 7, 0, {click:String}, {raw:String} FROM stg.epoch`,
    { click: anonymous, raw: JSON.stringify({ click_id: anonymous, user_custom_id: id }) },
  );
  await load(db, "incremental");
  const { sessions } = await previewErasure(db, [account?.toUpperCase() ?? ""]);
  const [own] = await db.rows<{ count: number }>(
    "SELECT count() AS count FROM dds.click WHERE user_domain_id = {account:UUID}",
    { account },
  );
  expect(sessions).toBe((own?.count ?? 0) + 1);
  expect(clicks.length).toBeGreaterThan(0);
});

test("messages of an erased visitor that come again are erased by the load", async () => {
  const { id } = await someVisitor();
  await db.run("CREATE OR REPLACE TABLE stg.again AS stg.raw");
  await db.run("INSERT INTO stg.again SELECT * FROM stg.raw");
  await erase(id);
  await db.run("INSERT INTO stg.raw SELECT * FROM stg.again");
  await db.run("DROP TABLE stg.again SYNC");
  await load(db, "incremental");
  await requireErased(id);
  await loadSample(db, 200);
  await requireErased(id);
  await load(db, "full");
  await requireErased(id);
});

test("a later session of an erased visitor is erased whole, also if its messages come in several loads", async () => {
  const { id } = await someVisitor();
  await erase(id);
  const ids = { click_id: crypto.randomUUID(), event_id: crypto.randomUUID() };
  const send = async (messages: Message[]) => {
    await publish(db, messages);
    await load(db, "incremental");
  };
  await send([deviceMessage({ ...ids, user_custom_id: id })]);
  await send([browserMessage(ids)]);
  await send([locationMessage(ids), geoMessage(ids)]);
  const [left] = await db.rows<{ count: number }>(
    "SELECT (SELECT count() FROM dds.click WHERE click_id = {click:UUID}) + (SELECT count() FROM ods.location_event WHERE event_id = {event:UUID}) AS count",
    { click: ids.click_id, event: ids.event_id },
  );
  expect(left?.count).toBe(0);
  expect((await previewErasure(db, [id])).messages).toBe(0);
});

test("an empty id is none", async () => {
  expect(await previewErasure(db, [""])).toMatchObject({ sessions: 0, messages: 0 });
});

test("a restore of an earlier snapshot does not bring a visitor back", async () => {
  const { id } = await someVisitor();
  await takeSnapshot(db, { name: "earlier", keep: 7 });
  await erase(id);
  const erased = await digestsOf(db);
  await restoreSnapshot(db, await requireRestorable(db, "earlier"));
  await eraseAgain(db);
  await requireErased(id);
  expect(await digestsOf(db)).toEqual(erased);
});

test("an erasure that is killed at any statement is completed by the next load", async () => {
  const { id } = await someVisitor();
  await takeSnapshot(db, { name: "before", keep: 7 });
  const { length: statements } = await statementsOf(db, (counted) => erase(id, counted));
  const erased = await digestsOf(db);
  for (const part of [0, 1, 2]) {
    const at = 1 + Math.floor(((part + Math.random()) * statements) / 3);
    await restoreSnapshot(db, await requireRestorable(db, "before"));
    for (const table of ["erasure", "erasure_key"]) await db.run(`TRUNCATE TABLE stg.${table}`);
    await expect(erase(id, killedAt(db, at))).rejects.toThrow("killed");
    const [begun] = await db.rows<{ count: number }>("SELECT count() AS count FROM stg.erased");
    expect((await readErasures(db)).every(({ finished_at }) => finished_at === null)).toBe(true);
    if (begun?.count === 0) await erase(id);
    else await load(db, "incremental");
    expect(await digestsOf(db), `killed at statement ${at} of ${statements}`).toEqual(erased);
  }
});

test.each(["EXCHANGE TABLES ods.", "ALTER TABLE stg.raw UPDATE"])(
  "a message that only its key names is erased also after a kill at %s",
  async (statement) => {
    const { id, clicks } = await someVisitor();
    const alone = { ...locationMessage({ event_id: crypto.randomUUID() }), key: clicks[0] ?? "" };
    await newEpoch(db);
    await publish(db, [alone]);
    await load(db, "incremental");
    const killed = beforeStatements(db, async (sql) => {
      if (sql.includes(statement)) throw new Error("killed");
    });
    await expect(erase(id, killed)).rejects.toThrow("killed");
    await load(db, "incremental");
    await requireErased(id);
    expect(
      await db.rows(
        "SELECT 1 FROM ods.location_event WHERE event_id NOT IN (SELECT event_id FROM ods.browser_event)",
      ),
    ).toEqual([]);
  },
);

test("the log has no id", async () => {
  const { id } = await someVisitor();
  await expect(beginErasure(db, [id], `the visitor ${id}`)).rejects.toThrow(
    "The request names an id that it erases",
  );
  expect(await readErasures(db)).toEqual([]);
});

test("an import, its rejected rows, the collector's hits and its journal lose a visitor, and keep their counts", async () => {
  const ids = ["anna-7d2f", "ben-91c4"] as const;
  const row = (day: string, id: string) =>
    `2026-07-${day} 10:00:00,s-${id},${id},https://shop.example/home`;
  const file = join(state, "export.csv");
  writeFileSync(
    file,
    ["time,session,visitor,url", row("01", ids[0]), row("99", ids[0]), row("02", ids[1]), ""].join(
      "\n",
    ),
  );
  const select = join(state, "select.sql");
  writeFileSync(
    select,
    "SELECT row, time, session AS session_id, visitor AS visitor_id, url AS page_url FROM input",
  );
  const dir = join(state, "imports", "export");
  const { account } = await importFiles([file], readSource(select), { dir });
  await loadIntoStg(db, await openDataset(dir), { limit: 0, reset: true });
  const delivery = await Delivery.open(db as ServerDatabase);
  const hit = (number: number, visitor: string, reason = "") =>
    JSON.stringify({
      number,
      protocol: "page",
      received: Date.UTC(2026, 6, 3),
      reason,
      body: JSON.stringify({
        site: "shop",
        type: "pageview",
        url: "https://shop.example/home",
        visitor,
        agent: "a",
        time: "2026-07-03T10:00:00Z",
      }),
    });
  const journal = join(engine.directory, "journal");
  mkdirSync(journal, { recursive: true });
  const first = await delivery.next();
  const delivered = join(state, "delivered.jsonl");
  writeFileSync(
    delivered,
    `${[hit(first, ids[0]), hit(first + 1, ids[1]), hit(first + 2, ids[0], "no hit")].join("\n")}\n`,
  );
  await delivery.deliver({ file: delivered, first });
  rmSync(delivered);
  writeFileSync(
    join(journal, `${first + 3}.jsonl`),
    `${hit(first + 3, ids[0])}\n${hit(first + 4, ids[1])}\n`,
  );
  await delivery.close();
  await load(db, "incremental");
  const stored = [engine.directory, dir];
  const filesOf = (id: string) => stored.flatMap((folder) => filesWith(folder, [id]));
  expect(filesOf(ids[0]).length).toBeGreaterThan(12);
  await beginErasure(db, [ids[0], `shop ${ids[0]}`], "request 8");
  await finishErasures(db);
  expect(filesOf(ids[0])).toEqual([]);
  expect(filesOf(ids[1]).length).toBeGreaterThan(10);
  const { imported } = await openDataset(dir);
  expect(imported).toMatchObject({
    events: account.events - 1,
    skipped: { erased: 1 },
    rejected: account.rejected,
  });
  expect(readFileSync(join(journal, `${first + 3}.jsonl`), "utf8").split("\n").length).toBe(3);
  const outcomes = await db.rows<{ is_bad: boolean; reason: string }>(
    "SELECT is_bad, reason FROM hits.outcome FINAL ORDER BY number",
  );
  expect(outcomes).toEqual([
    { is_bad: false, reason: "erased" },
    { is_bad: false, reason: "" },
    { is_bad: true, reason: "erased" },
  ]);
  expect((await prove(db)).unaccounted).toBe(0);
});
