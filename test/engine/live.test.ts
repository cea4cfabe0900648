import { beforeEach, expect, test } from "vitest";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  locationMessage,
  type Message,
  uuid,
} from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

const MINUTES = 55;
const END = Date.UTC(2026, 0, 1, 9, MINUTES) * 1000;

/** Publishes messages, the last of which were sent just now. @returns that second, and statements that store those of some minutes */
async function arriving(messages: readonly Message[]) {
  const { db } = engine;
  await publish(db, messages);
  await db.run("CREATE OR REPLACE TABLE default.sent ENGINE = Memory AS SELECT * FROM stg.raw");
  await db.run("TRUNCATE TABLE stg.raw");
  const [{ now } = { now: 0 }] = await db.rows<{ now: number }>(
    "SELECT toUnixTimestamp(now()) AS now",
  );
  const store = (fromMinute: number, toMinute: number) =>
    db.run(
      `INSERT INTO stg.raw
       SELECT * EXCEPT (at) REPLACE (toDateTime64(at, 3, 'UTC') AS _timestamp, at AS ingested_at)
       FROM (SELECT *, emitted_at + toIntervalMicrosecond({now:Int64} * 1000000 - {end:Int64}) AS at FROM default.sent)
       WHERE dateDiff('minute', at, fromUnixTimestamp({now:Int64})) BETWEEN {to:Int8} AND {from:Int8}`,
      { now, end: END, from: fromMinute, to: toMinute },
    );
  return { now, store };
}

/** Minutes that are over at a second, and in the views for as long as the test runs. */
const CLOSED =
  "minute BETWEEN toStartOfMinute(toDateTime({now:Int64}, 'UTC')) - INTERVAL 20 MINUTE AND toStartOfMinute(toDateTime({now:Int64}, 'UTC')) - INTERVAL 2 MINUTE";

const LIVE_MINUTES = `SELECT minute, page_events, sessions, visitors, purchases, revenue, rejected_messages
  FROM dm.v_live_minutes WHERE ${CLOSED} ORDER BY minute`;

/** The same from the marts, by the arrival of each event's message. */
const BATCH_MINUTES = `SELECT minute, countIf(event_type IN ('pageview', 'purchase')) AS page_events,
    uniqExactIf(click_id, isNotNull(event_type)) AS sessions, uniqExact(user_custom_id) AS visitors,
    countIf(event_type = 'purchase') AS purchases, ifNull(sumIf(order_value, event_type = 'purchase'), 0) AS revenue,
    countIf(isNull(event_type)) AS rejected_messages
  FROM (
    SELECT toStartOfMinute(message.ingested_at) AS minute, toNullable(toString(event.event_type)) AS event_type,
      event.click_id AS click_id, event.user_custom_id AS user_custom_id, event.order_value AS order_value
    FROM dm.event_enriched AS event
    INNER JOIN ods.browser_event AS message ON event.event_id = message.event_id AND event._offset = message._offset
    UNION ALL
    SELECT toStartOfMinute(ingested_at), NULL, toUUID('00000000-0000-0000-0000-000000000000'), NULL, NULL
    FROM merge('ods', '_event_errors$') WHERE NOT is_typed)
  WHERE ${CLOSED} GROUP BY minute ORDER BY minute`;

const COLUMNS =
  "event_id, click_id, user_custom_id, event_type, page_url_path, referer_medium, utm_medium, utm_source, utm_campaign, order_value, currency, arraySort(event_markers), event_timestamp";
const DIFFERING = `SELECT ${COLUMNS} FROM dm.v_live_events
  EXCEPT SELECT ${COLUMNS.replace("arraySort(event_markers)", "arraySort(arrayFilter(one -> NOT has(['location_not_found', 'page_missing'], one), event_markers))")} FROM dm.event_enriched`;

test("of closed minutes, live views and marts differ in nothing, before and after a load", async () => {
  const { messages } = await generateMessages("live", MINUTES);
  const first = messages.find(({ stream, value }) => stream === "browser" && value.endsWith("}"));
  const late = { event_id: uuid(7), click_id: uuid(107), event_timestamp: "2026-01-01 03:00:00" };
  const beforeEnd = END - 10 * 60_000_000;
  const { now, store } = await arriving([
    ...messages,
    // A repeat of the first event, which came before the messages that the views read; and a late event.
    { ...(first as Message), emittedAt: beforeEnd },
    browserMessage(late, beforeEnd),
    { ...deviceMessage({ click_id: uuid(107) }), emittedAt: beforeEnd },
    { ...locationMessage({ event_id: uuid(7) }), emittedAt: beforeEnd },
  ]);
  const { db } = engine;
  await store(60, 15);
  await load(db, "full");
  await store(14, 0);
  const before = await db.rows<Record<string, number>>(LIVE_MINUTES, { now });
  await load(db, "incremental");
  const batch = await db.rows(BATCH_MINUTES, { now });
  expect(before).toEqual(batch);
  expect(await db.rows(LIVE_MINUTES, { now })).toEqual(batch);
  expect(await db.rows(DIFFERING)).toEqual([]);
  expect(before).toHaveLength(19);
  const total = (key: string) => before.reduce((sum, row) => sum + Number(row[key]), 0);
  for (const key of ["page_events", "visitors", "purchases", "rejected_messages"])
    expect(total(key), key).toBeGreaterThan(5);
  const of = async (id: string) =>
    (await db.rows(`SELECT 1 FROM dm.v_live_events WHERE event_id = '${id}'`)).length;
  expect(await of(JSON.parse((first as Message).value).event_id)).toBe(0);
  expect(await of(uuid(7))).toBe(1);
});

test("a history that is written now is not live, and what has no emission time is", async () => {
  const { db } = engine;
  const now = Date.now() * 1000;
  const at = (minutesAgo: number) => now - minutesAgo * 60_000_000;
  await publish(db, [
    { ...deviceMessage({}), emittedAt: at(300) },
    browserMessage({ event_id: uuid(1) }, at(2000)),
    browserMessage({ event_id: uuid(2) }, at(300)),
    browserMessage({ event_id: uuid(3) }),
  ]);
  expect(await db.rows("SELECT event_id FROM dm.v_live_events ORDER BY event_id")).toEqual([
    { event_id: uuid(2) },
    { event_id: uuid(3) },
  ]);
});

test("the view of now says who is active, and how old the data are", async () => {
  const { db } = engine;
  await publish(db, [browserMessage({}), deviceMessage({})]);
  await load(db, "full");
  await db.run(
    "INSERT INTO stg.raw SELECT * REPLACE (_offset + 9 AS _offset, ingested_at + INTERVAL 90 SECOND AS ingested_at) FROM stg.raw WHERE _topic = 'device_events'",
  );
  const expected =
    "SELECT dateDiff('second', (SELECT max(planned_at) FROM ods.load_range), max(ingested_at)) AS behind FROM stg.raw";
  const [{ behind } = { behind: 0 }] = await db.rows<{ behind: number }>(expected);
  expect(behind).toBeGreaterThan(0);
  const now = { active_visitors: 1, active_sessions: 1 };
  const read = () => db.rows("SELECT * FROM dm.v_live_now");
  expect(await read()).toMatchObject([{ ...now, marts_behind_seconds: behind }]);
});
