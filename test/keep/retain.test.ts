import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { beginErasure, finishErasures } from "../../warehouse/keep/erase.ts";
import { requireRestorable, restoreSnapshot } from "../../warehouse/keep/restore.ts";
import { previewExpiry, readKept, requireOrder, setKept } from "../../warehouse/keep/retain.ts";
import { takeSnapshot } from "../../warehouse/keep/snapshot.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { rebuildLayer } from "../../warehouse/reconciliation/rebuild.ts";
import { age } from "../support/age.ts";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  geoMessage,
  locationMessage,
  type Message,
} from "../support/messages.ts";
import {
  derivedDigests,
  digestsOf,
  load,
  loadStep,
  newEpoch,
  publish,
} from "../support/pipeline.ts";
import { beforeStatements, killedAt, statementsOf } from "../support/replace-methods.ts";
import { filesWith } from "../support/stored-bytes.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { useFolder } from "../support/use-folder.ts";

const state = useFolder("retain");
// The engine reads it when it starts.
vi.stubEnv("EVENT_PIPELINE_STATE", state);
const engine = useTestEngine();
let db: Database;
let messages: readonly Message[];
beforeAll(async () => {
  db = engine.db;
  ({ messages } = await generateMessages("retain", 30));
});

/** Half of the messages of each stream is 20 days old, so some sessions have old and new ones. */
beforeEach(async () => {
  await clearAll(db);
  await newEpoch(db);
  const halves = STREAMS.flatMap((stream) => {
    const own = messages.filter((message) => message.stream === stream);
    return own.map((message, at) => ({ message, isOld: at < own.length / 2 }));
  });
  await add(halves.filter((one) => one.isOld).map(({ message }) => message));
  await age(db, 20);
  await add(halves.filter((one) => !one.isOld).map(({ message }) => message));
});

async function add(some: readonly Message[]): Promise<void> {
  await publish(db, some);
  await load(db, "incremental");
}

const KEPT_WEEK = { ods: 7, dm: 0 };

async function retain(kept = KEPT_WEEK, into: Database = db): Promise<void> {
  await setKept(db, kept);
  await load(into, "incremental");
}

const numberOf = async (sql: string, params = {}): Promise<number> =>
  (await db.rows<{ count: number }>(`SELECT ${sql} AS count`, params))[0]?.count ?? Number.NaN;

/** What alerts and charts count. */
const messageCounts = () =>
  db.rows(
    `SELECT * FROM (SELECT toString(labels) AS what, value FROM dm_internal.v_pipeline_metrics
     WHERE name IN ('pipeline_messages', 'pipeline_marked_messages')
     UNION ALL
     SELECT concat(entity, ' ', metric), value FROM dm.dq_summary
     WHERE layer IN ('ods', 'dds', 'dm') AND metric NOT IN ('expired', 'session_expired')) ORDER BY what`,
  );

const expiredSessions = () =>
  numberOf("(SELECT count() FROM dds.expired_click WHERE NOT has_left)");

async function requireSound(): Promise<readonly string[]> {
  const { verdict, unaccounted, layers, notes } = await prove(db);
  expect(layers.filter(({ expected, found }) => expected !== found)).toEqual([]);
  expect([verdict, unaccounted]).toEqual(["accounted", 0]);
  const deep = await proveDeep(db);
  expect([deep.rows, deep.layers, deep.unchecked]).toEqual([[], [], []]);
  return notes;
}

test("whole sessions leave ods, and dds and dm keep every number", async () => {
  const before = await derivedDigests(db);
  const counts = await messageCounts();
  const typed = await numberOf("(SELECT count() FROM ods.browser_event)");
  await retain();
  expect(await messageCounts()).toEqual(counts);
  const sessions = await expiredSessions();
  expect(sessions).toBeGreaterThan(50);
  expect(
    await numberOf(
      "(SELECT count() FROM ods.v_rejected WHERE ingested_at < now() - INTERVAL 7 DAY)",
    ),
  ).toBe(0);
  expect(await numberOf("(SELECT count() FROM ods.browser_event)")).toBeLessThan(0.7 * typed);
  expect(
    await numberOf(
      "(SELECT count() FROM merge('ods', '^(browser|device|geo)_event$') WHERE click_id IN (SELECT click_id FROM dds.expired_click))",
    ),
  ).toBe(0);
  // Sessions with a new message keep their old ones.
  expect(
    await numberOf(
      "(SELECT count() FROM ods.browser_event WHERE ingested_at < now() - INTERVAL 7 DAY)",
    ),
  ).toBeGreaterThan(0);
  expect(await derivedDigests(db)).toEqual(before);
  expect((await requireSound())[0]).toMatch(
    /^Expired: [\d,]+ messages of sessions that ended before/,
  );
  await load(db, "full");
  expect(await derivedDigests(db)).toEqual(before);
  await requireSound();
});

test("a visitor who returns after his sessions have left ods gets the next number", async () => {
  await retain();
  const [visitor] = await db.rows<{ id: string; sessions: number }>(
    `SELECT user_custom_id AS id, (SELECT max(session_number) FROM dm.session WHERE user_custom_id = id) AS sessions
     FROM dds.click WHERE user_custom_id != '' AND isNotNull(started_at) AND click_id IN (SELECT click_id FROM dds.expired_click)
     ORDER BY click_id LIMIT 1`,
  );
  const ids = { event_id: crypto.randomUUID(), click_id: crypto.randomUUID() };
  await add([
    browserMessage({ ...ids, event_timestamp: "2026-01-03 10:00:00" }),
    locationMessage(ids),
    deviceMessage({ ...ids, user_custom_id: visitor?.id }),
  ]);
  expect(
    await numberOf("(SELECT session_number FROM dm.session WHERE click_id = {click_id:UUID})", ids),
  ).toBe((visitor?.sessions ?? 0) + 1);
  await requireSound();
  const incremental = await derivedDigests(db);
  await load(db, "full");
  expect(await derivedDigests(db)).toEqual(incremental);
});

test("a message of a session that has left ods counts as typed, and changes nothing", async () => {
  await retain();
  const before = await derivedDigests(db);
  const [event] = await db.rows<{ click_id: string; event_id: string }>(
    `SELECT toString(click_id) AS click_id, toString(event_id) AS event_id FROM dds.event
     WHERE click_id IN (SELECT click_id FROM dds.expired_click) ORDER BY event_id LIMIT 1`,
  );
  const other = { click_id: crypto.randomUUID() };
  await add([
    browserMessage({ ...event, event_id: crypto.randomUUID() }),
    // The event has left ods with its session.
    browserMessage({ ...event, ...other }),
    deviceMessage({ ...event, user_custom_id: "another" }),
    geoMessage({ ...event }),
    locationMessage({ ...event }),
  ]);
  expect(await derivedDigests(db)).toEqual(before);
  expect((await requireSound())[0]).toContain("5 messages came later, and are not in dds");
  await load(db, "full");
  expect(await derivedDigests(db)).toEqual(before);
});

test("an epoch that brings all messages again changes nothing of what has left ods", async () => {
  await retain();
  const expired = "WHERE click_id IN (SELECT click_id FROM dds.expired_click)";
  const rows = () =>
    numberOf(
      `(SELECT sum(cityHash64(*)) FROM (SELECT * EXCEPT properties FROM dds.event ${expired}))`,
    );
  const before = await rows();
  const sessions = await numberOf("(SELECT count() FROM dm.session)");
  await newEpoch(db);
  await add(messages);
  expect([await rows(), await numberOf("(SELECT count() FROM dm.session)")]).toEqual([
    before,
    sessions,
  ]);
  await requireSound();
});

test("the marts, too, lose sessions that are older than they keep", async () => {
  await retain();
  const expired = await expiredSessions();
  const kept = (await numberOf("(SELECT count() FROM dds.click)")) - expired;
  await retain({ ods: 7, dm: 14 });
  expect(await expiredSessions()).toBe(0);
  expect(await numberOf("(SELECT count() FROM dds.click)")).toBe(kept);
  expect(await numberOf("(SELECT max(page_events) FROM dm.session)")).toBeGreaterThan(0);
  expect((await requireSound())[1]).toContain(`${expired} sessions that ended before`);
  const derived = await derivedDigests(db);
  await load(db, "full");
  expect(await derivedDigests(db)).toEqual(derived);
});

test("a session whose events dds lacks does not leave ods", async () => {
  const [event] = await db.rows<{ click_id: string }>(
    "SELECT toString(click_id) AS click_id FROM ods.browser_event WHERE ingested_at < now() - INTERVAL 7 DAY ORDER BY click_id LIMIT 1",
  );
  await db.run("DELETE FROM dds.event WHERE click_id = {click_id:UUID}", { ...event });
  await retain();
  expect(
    await numberOf("(SELECT count() FROM dds.expired_click WHERE click_id = {click_id:UUID})", {
      ...event,
    }),
  ).toBe(0);
  await load(db, "full");
  await requireSound();
});

test("a session does not leave ods while messages of it wait for their load", async () => {
  const [session] = await db.rows<{ click_id: string }>(
    `SELECT toString(click_id) AS click_id FROM ods.browser_event
     GROUP BY click_id HAVING max(ingested_at) < now() - INTERVAL 7 DAY ORDER BY click_id LIMIT 1`,
  );
  const event = { ...session, event_id: crypto.randomUUID() };
  await publish(db, [browserMessage(event), locationMessage(event)]);
  await age(db, 8);
  await retain();
  expect(await expiredSessions()).toBeGreaterThan(50);
  expect(
    await numberOf("(SELECT count() FROM dds.event WHERE event_id = {event_id:UUID})", event),
  ).toBe(1);
  await requireSound();
});

test("days that reach back before 1970 keep everything", async () => {
  const kept = { ods: 36_500, dm: 36_500 };
  expect(await previewExpiry(db, kept)).toEqual({ tables: [], sessions: 0 });
  await retain(kept);
  expect(await expiredSessions()).toBe(0);
});

test("an expiry that is killed at any statement is completed by the next load", async () => {
  const kept = { ods: 7, dm: 14 };
  await takeSnapshot(db, { name: "before", keep: 7 });
  const { length: statements } = await statementsOf(db, (counted) => retain(kept, counted));
  const expected = await digestsOf(db);
  for (const part of [0, 1, 2, 3]) {
    const at = 1 + Math.floor(((part + Math.random()) * statements) / 4);
    await restoreSnapshot(db, await requireRestorable(db, "before"));
    await expect(retain(kept, killedAt(db, at))).rejects.toThrow("killed");
    await load(db, "incremental");
    expect(await digestsOf(db), `killed at statement ${at} of ${statements}`).toEqual(expected);
  }
  await requireSound();
});

test("dds is not computed while rows are leaving ods", async () => {
  const killed = beforeStatements(db, async (sql) => {
    if (sql.includes("EXCHANGE TABLES ods.")) throw new Error("killed");
  });
  await expect(retain(KEPT_WEEK, killed)).rejects.toThrow("killed");
  await expect(loadStep(db, "load_dds", { fullRefresh: true })).rejects.toThrow(
    "rows are leaving ods, and their load was interrupted",
  );
  expect((await prove(db)).notes.join()).toContain("An expiry did not end");
});

test("an erasure reaches sessions whose messages have left ods", async () => {
  await retain();
  const [visitor] = await db.rows<{ id: string; clicks: string[] }>(
    `SELECT user_custom_id AS id, groupArray(toString(click_id)) AS clicks FROM dds.click
     WHERE user_custom_id != '' GROUP BY id
     HAVING countIf(click_id NOT IN (SELECT click_id FROM dds.expired_click)) = 0 ORDER BY id LIMIT 1`,
  );
  const { id = "", clicks = [] } = visitor ?? {};
  await beginErasure(db, [id], "request 7");
  await finishErasures(db);
  expect(filesWith(engine.directory, [id, ...clicks])).toEqual([]);
  await requireSound();
});

test("an erasure finds nothing of sessions that have left all layers, because stg has emptied them, too", async () => {
  const ids = { event_id: crypto.randomUUID(), click_id: crypto.randomUUID() };
  const visitor = "visitor-who-left";
  await add([
    browserMessage(ids),
    deviceMessage({ ...ids, user_custom_id: visitor }),
    deviceMessage({ ...ids, click_id: "no id", user_custom_id: visitor }),
  ]);
  await age(db, 8);
  await retain({ ods: 7, dm: 7 });
  await beginErasure(db, [visitor], "request 8");
  await finishErasures(db);
  expect(filesWith(engine.directory, [visitor])).toEqual([]);
  await requireSound();
});

test("a message of a session that has left all layers makes no session of its own", async () => {
  await retain({ ods: 7, dm: 14 });
  const [left] = await db.rows<{ click_id: string }>(
    "SELECT toString(click_id) AS click_id FROM dds.expired_click WHERE has_left ORDER BY click_id LIMIT 1",
  );
  const before = await derivedDigests(db);
  await add([browserMessage({ ...left, event_id: crypto.randomUUID() })]);
  expect(await derivedDigests(db)).toEqual(before);
  await load(db, "full");
  expect(await derivedDigests(db)).toEqual(before);
  await requireSound();
});

test("a restore brings the rows of its time back, and the next load lets them leave again", async () => {
  await takeSnapshot(db, { name: "earlier", keep: 7 });
  await retain();
  const after = await digestsOf(db);
  await restoreSnapshot(db, await requireRestorable(db, "earlier"));
  expect(await readKept(db)).toEqual(KEPT_WEEK);
  await load(db, "incremental");
  expect(await digestsOf(db)).toEqual(after);
  await takeSnapshot(db, { name: "later", keep: 7 });
  await restoreSnapshot(db, await requireRestorable(db, "later"));
  expect(await digestsOf(db)).toEqual(after);
  await requireSound();
});

test("a rebuild of ods or dds would lose what has left ods, so it asks", async () => {
  await retain();
  for (const layer of ["ods", "dds"] as const) {
    await expect(rebuildLayer(db, layer, false)).rejects.toThrow("dds holds the only copy of");
  }
});

test("a preview counts what would leave, and changes nothing", async () => {
  const before = await digestsOf(db);
  const { tables, sessions } = await previewExpiry(db, { ods: 7, dm: 14 });
  expect(await digestsOf(db)).toEqual(before);
  const typed = () => numberOf("(SELECT count() FROM ods.device_event)");
  const stored = await typed();
  await retain({ ods: 7, dm: 14 });
  expect(tables.find(({ table }) => table === "ods.device_event")?.rows).toBe(
    stored - (await typed()),
  );
  expect(tables.find(({ table }) => table === "dm.session")?.rows).toBe(sessions);
});

test("the marts cannot keep less than ods", () => {
  expect(() => requireOrder({ ods: 0, dm: 30 })).toThrow(
    "The marts cannot keep 30 days while ods keeps everything",
  );
  expect(() => requireOrder({ ods: 31, dm: 30 })).toThrow("while ods keeps 31 days");
  requireOrder({ ods: 30, dm: 0 });
  requireOrder({ ods: 0, dm: 0 });
});
