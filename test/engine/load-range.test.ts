import { beforeEach, describe, expect, test } from "vitest";
import type { Params } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { readQuery } from "../../warehouse/sql.ts";
import { selectTyped, typingParams } from "../../warehouse/typing.ts";
import { clearAll, rowsReadBy } from "../support/engine.ts";
import { loadStep, newEpoch } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

/** Runs a step; returns the number of its lease, which is that of its load. */
async function step(id: string): Promise<number> {
  await loadStep(engine.db, id);
  return lastLease();
}

async function lastLease(): Promise<number> {
  const [row] = await engine.db.rows<{ id: number }>("SELECT max(id) AS id FROM stg.lease");
  return row?.id ?? 0;
}

describe("a load of few messages skips loaded rows", () => {
  const GRANULE = 8192;
  const OLDER = 40 * GRANULE;
  const FEW = 30;

  test.each(STREAMS)("in stg by the primary key: %s", async (stream) => {
    const loadMore = async (count: number, from: number) => {
      await insertRaw(stream, count, from);
      const lease_id = (await lastLease()) + 1;
      const ofLoad = { ...readPlan().params, ...typingParams(stream), lease_id };
      const toPlan = await rowsToRead(readQuery("etl/load_ods/plan.sql"), ofLoad);
      await step("load_ods");
      const planned = await engine.db.rows<Params>(readQuery("etl/load_ods/ranges.sql"), ofLoad);
      const ranges = planned.find((one) => one.stream === stream)?.ranges ?? "[]";
      const params = { ...ofLoad, ranges };
      const toType = await rowsToRead(await selectTyped(engine.db, stream, params), params);
      return { toPlan, toType };
    };
    await newEpoch(engine.db);
    expect((await loadMore(OLDER, 0)).toType).toBe(OLDER);
    // One granule at the end of each partition, and the beginning of the next one, are read.
    const further = await loadMore(FEW, OLDER);
    expectBetween(further.toPlan, FEW, 7 * GRANULE);
    expectBetween(further.toType, FEW, 7 * GRANULE);
    expect((await loadMore(0, 0)).toType).toBe(0);
    await newEpoch(engine.db);
    expectBetween((await loadMore(FEW, 0)).toType, FEW, GRANULE);
  });

  test.each(STREAMS)(
    "in ods by the index of loads, for rows without a commit: %s",
    async (stream) => {
      await newEpoch(engine.db);
      await insertRaw(stream, OLDER, 0);
      const load_id = await step("load_ods");
      const search = readQuery("etl/load_ods/has_interrupted_load.sql")
        .replace(/;\s*$/, "")
        .replaceAll("{lease_id:UInt64}", String(load_id + 1));
      const plansAndCommits = 100;
      expect(await rowsReadBy(engine.db, search)).toBeLessThan(plansAndCommits);
      await engine.db.run("TRUNCATE TABLE ods.load_commit");
      expect(await rowsReadBy(engine.db, search)).toBeGreaterThanOrEqual(OLDER);
    },
  );

  function expectBetween(rows: number, atLeast: number, atMost: number): void {
    expect(rows).toBeGreaterThanOrEqual(atLeast);
    expect(rows).toBeLessThanOrEqual(atMost);
  }

  /** Messages in three partitions, from a position of the topic on. */
  const insertRaw = (stream: StreamName, count: number, from: number): Promise<void> =>
    engine.db.run(
      `INSERT INTO stg.raw (epoch, _topic, _partition, _offset, raw)
       SELECT (SELECT max(epoch) FROM stg.epoch), {topic:String}, number % 3, intDiv(number, 3),
         format('{{"event_id":"{0}","click_id":"{0}","event_timestamp":"2026-01-01 10:00:00"}}', toString(generateUUIDv4()))
       FROM numbers({from:UInt64}, {count:UInt64})`,
      { topic: streams[stream].topic, from, count },
    );

  /** Rows of `stg.raw` that a statement reads, as the engine estimates after its indexes. */
  async function rowsToRead(statement: string, params: Params): Promise<number> {
    const select = statement.slice(statement.search(/^(WITH|SELECT)/m)).replace(/;\s*$/, "");
    const [estimate] = await engine.db.rows<{ rows: number }>(
      `SELECT sum(rows) AS rows FROM (EXPLAIN ESTIMATE ${select}) WHERE table = 'raw'`,
      params,
    );
    return estimate?.rows ?? Number.NaN;
  }
});
