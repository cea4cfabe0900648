import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  geoMessage,
  locationMessage,
  type Message,
  uuid,
} from "../support/messages.ts";
import { derivedDigests, digestsOf, load, newEpoch, publish } from "../support/pipeline.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

const events = () =>
  engine.db.rows<Record<string, unknown>>("SELECT * FROM dds.event ORDER BY event_id");

describe("an incremental load equals a full refresh", () => {
  test("with any cuts, order between streams, repeats and epochs", async () => {
    const { db } = engine;
    const { messages } = await generateMessages("increments", 4);
    await publish(db, messages);
    await load(db, "full");
    const expected = await digestsOf(db);

    const cuts = fc.array(fc.nat({ max: messages.length }), { maxLength: 4 });
    const order = fc.infiniteStream(fc.nat());
    await fc.assert(
      fc.asyncProperty(cuts, order, async (positions, random) => {
        await clearAll(db);
        const shuffled = interleave(messages, random);
        const bounds = [0, ...positions.toSorted((a, b) => a - b), messages.length];
        for (const [index, end] of bounds.slice(1).entries()) {
          await publish(db, shuffled.slice(bounds[index], end));
          await load(db, "incremental");
        }
        expect(await digestsOf(db)).toEqual(expected);
        await load(db, "full");
        expect(await digestsOf(db)).toEqual(expected);
      }),
      { numRuns: IS_EXHAUSTIVE ? 50 : 2, seed: 20_260_101 },
    );
  });

  test("if a second epoch repeats, moves and adds events", async () => {
    const { db } = engine;
    const { messages } = await generateMessages("epochs", 3);
    await publish(db, messages.slice(0, messages.length / 2));
    await load(db, "incremental");
    await newEpoch(db);
    await publish(db, [
      ...messages,
      browserMessage({ event_id: uuid(1), click_id: uuid(101) }),
      deviceMessage({ click_id: uuid(101) }),
    ]);
    await load(db, "incremental");
    await newEpoch(db);
    await publish(db, [
      browserMessage({ event_id: uuid(1), click_id: uuid(102), event_type: "x" }),
    ]);
    await load(db, "incremental");
    const incremental = await derivedDigests(db);
    await load(db, "full");
    expect(await derivedDigests(db)).toEqual(incremental);
    expect(await events()).toContainEqual(
      expect.objectContaining({ event_id: uuid(1), click_id: uuid(102), superseded: 1 }),
    );
  });

  /** Mixes the streams at random, and keeps the order inside each stream, as a partition does. */
  function interleave(messages: readonly Message[], random: Iterator<number>): Message[] {
    const queues = Map.groupBy(messages, (message) => message.stream);
    const mixed: Message[] = [];
    while (queues.size > 0) {
      const streams = [...queues.keys()];
      const stream = streams[random.next().value % streams.length];
      const queue = stream && queues.get(stream);
      const next = queue?.shift();
      if (next) mixed.push(next);
      else if (stream) queues.delete(stream);
    }
    return mixed;
  }
});

describe("one event", () => {
  test("whose location arrives one load later is completed", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({}), deviceMessage({}), geoMessage({})]);
    await load(db, "incremental");
    expect(await events()).toMatchObject([{ markers: ["location_not_found"], page_url_path: "" }]);
    await publish(db, [locationMessage({})]);
    await load(db, "incremental");
    expect(await events()).toMatchObject([{ markers: [], page_url_path: "/home" }]);
    const [row] = await db.rows("SELECT page_url_path FROM dm.v_events_enriched");
    expect(row).toEqual({ page_url_path: "/home" });
  });

  test("whose device arrives one load later reaches dm with it", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({}), locationMessage({}), geoMessage({})]);
    await load(db, "incremental");
    await publish(db, [deviceMessage({ user_domain_id: uuid(7) })]);
    await load(db, "incremental");
    expect(await db.rows("SELECT markers FROM dds.click")).toEqual([{ markers: [] }]);
    expect(await db.rows("SELECT user_domain_id, os_name FROM dm.v_session_overview")).toEqual([
      { user_domain_id: uuid(7), os_name: "Linux" },
    ]);
  });

  test("of a skewed clock does not extend its session", async () => {
    const { db } = engine;
    const at = Date.UTC(2026, 0, 1, 10) * 1000;
    await publish(db, [
      browserMessage({ event_id: uuid(1), event_timestamp: "2026-01-01 10:00:00.000000" }, at),
      browserMessage(
        { event_id: uuid(2), event_timestamp: "2026-01-01 21:00:00.000000" },
        at + 30e6,
      ),
      browserMessage(
        { event_id: uuid(3), event_timestamp: "2026-01-01 10:01:00.000000" },
        at + 60e6,
      ),
    ]);
    await load(db, "incremental");
    const [session] = await db.rows("SELECT page_events, duration_seconds FROM dm.session");
    expect(session).toEqual({ page_events: 3, duration_seconds: 60 });
  });

  test("sent twice counts as one event and one duplicate", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({}), browserMessage({})]);
    await load(db, "incremental");
    await publish(db, [browserMessage({})]);
    await load(db, "incremental");
    expect(await events()).toMatchObject([{ duplicates: 2, superseded: 0 }]);
  });

  test("loaded again in a new epoch is one event, and the latest epoch wins", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({ browser_name: "Old" })]);
    await load(db, "full");
    await newEpoch(db);
    await publish(db, [browserMessage({ browser_name: "New" })]);
    await load(db, "full");
    expect(await events()).toMatchObject([{ browser_name: "New", duplicates: 0, superseded: 1 }]);
  });

  test("redelivered with its offset is not loaded again", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({}), locationMessage({})]);
    await load(db, "incremental");
    const before = await digestsOf(db);
    await db.run(
      "INSERT INTO stg.raw SELECT * REPLACE (now64(6) AS ingested_at) FROM stg.raw WHERE _topic = 'browser_events'",
    );
    await load(db, "incremental");
    expect(await digestsOf(db)).toEqual(before);
  });

  test("in a partition that was empty so far is not missed", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({}), browserMessage({ event_id: uuid(2) })]);
    await load(db, "incremental");
    await db.run(
      `INSERT INTO stg.raw SELECT * REPLACE (1 AS _partition,
         replaceOne(raw, {old:String}, {new:String}) AS raw)
       FROM stg.raw WHERE _topic = 'browser_events' AND _offset = 0`,
      { old: uuid(1), new: uuid(3) },
    );
    await load(db, "incremental");
    expect(await events()).toHaveLength(3);
  });

  test("redelivered before it is loaded is loaded once", async () => {
    const { db } = engine;
    await publish(db, [browserMessage({})]);
    await db.run("INSERT INTO stg.raw SELECT * FROM stg.raw WHERE _topic = 'browser_events'");
    await load(db, "incremental");
    expect(await events()).toMatchObject([{ duplicates: 0, superseded: 0 }]);
  });
});
