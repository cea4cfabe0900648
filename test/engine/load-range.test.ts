import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { readPlan } from "../../pipeline/batch/plan.ts";
import { transform } from "../../pipeline/batch/transform.ts";
import { readQuery } from "../../pipeline/sql.ts";
import { clearAll, openTestEngine, type TestEngine } from "../support/engine.ts";
import { browserMessage, locationMessage, uuid } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
});
beforeEach(() => clearAll(engine.db));

interface Range {
  readonly from_load: number;
  readonly to_load: number;
  readonly new_events: number;
}

const step = (id: string) => transform(engine.db, { fullRefresh: false, waitSeconds: 1, only: id });

async function rangeOf(file: string): Promise<Range | undefined> {
  const [range] = await engine.db.rows<Range>(readQuery(`etl/${file}`));
  return range;
}

describe("the events of a load, by which its buckets and look-ups are sized, are", () => {
  const ids = [1, 2, 3].map((n) => ({ event_id: uuid(n) }));

  test("new page events, or locations that come late and all at once", async () => {
    await publish(
      engine.db,
      ids.map((id) => browserMessage(id)),
    );
    await step("load_ods");
    expect(await rangeOf("load_dds/range.sql")).toEqual({
      from_load: 0,
      to_load: 1,
      new_events: 3,
    });
    await step("load_dds");
    expect(await rangeOf("load_dds/range.sql")).toEqual({
      from_load: 1,
      to_load: 1,
      new_events: 0,
    });
    await publish(engine.db, [browserMessage({ event_id: uuid(4) }), ...ids.map(locationMessage)]);
    await step("load_ods");
    expect(await rangeOf("load_dds/range.sql")).toEqual({
      from_load: 1,
      to_load: 2,
      new_events: 3,
    });
  });

  test("those of dds that a table of dm does not have: all of them when it begins anew", async () => {
    const files = ["load_dm/events_range.sql", "load_dm/sessions_range.sql"];
    await publish(
      engine.db,
      ids.map((id) => browserMessage(id)),
    );
    await load(engine.db, "incremental");
    await publish(engine.db, [browserMessage({ event_id: uuid(4) })]);
    for (const id of ["load_ods", "load_dds"]) await step(id);
    const one = { from_load: 1, to_load: 2, new_events: 1 };
    for (const file of files) expect(await rangeOf(file)).toEqual(one);
    await engine.db.run("TRUNCATE TABLE dm.load_commit");
    const all = { from_load: 0, to_load: 2, new_events: 4 };
    for (const file of files) expect(await rangeOf(file)).toEqual(all);
  });
});

describe("a load of few messages skips what was loaded, by the primary key", () => {
  const GRANULE = 8192;
  const OLDER = 40 * GRANULE;

  test.each(STREAMS)("in %s", async (stream) => {
    await newEpoch(engine.db);
    await insertRaw(stream, OLDER, 0);
    await step("load_ods");
    expect(await rowsToRead(stream, 1)).toBeGreaterThanOrEqual(OLDER);
    await insertRaw(stream, 30, OLDER);
    await step("load_ods");
    // One granule at the end of each partition is read, and the next one's begin.
    expect(await rowsToRead(stream, 2)).toBeLessThanOrEqual(7 * GRANULE);
    await newEpoch(engine.db);
    await insertRaw(stream, 30, 0);
    await step("load_ods");
    expect(await rowsToRead(stream, 3)).toBeLessThanOrEqual(GRANULE);
  });

  /** Messages in three partitions, from a position of the topic on; what they say does not matter here. */
  const insertRaw = (stream: StreamName, count: number, from: number): Promise<void> =>
    engine.db.run(
      `INSERT INTO stg.${stream}_raw (epoch, _topic, _partition, _offset, raw)
       SELECT (SELECT max(epoch) FROM stg.epoch), {topic:String}, number % 3, intDiv(number, 3), '{}'
       FROM numbers({from:UInt64}, {count:UInt64})`,
      { topic: streams[stream].topic, from, count },
    );

  async function rowsToRead(stream: StreamName, load_id: number): Promise<number> {
    const typing = readQuery(`etl/load_ods/${stream}.sql`);
    const select = typing.slice(typing.indexOf("WITH"));
    const [estimate] = await engine.db.rows<{ rows: number }>(
      `SELECT sum(rows) AS rows FROM (EXPLAIN ESTIMATE ${select.replace(/;\s*$/, "")})`,
      { ...readPlan().params, load_id },
    );
    return estimate?.rows ?? Number.NaN;
  }
});
