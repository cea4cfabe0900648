import { beforeEach, describe, expect, test } from "vitest";
import type { Params } from "../../contract/ports.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
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
  const OLDER = 16 * GRANULE;
  const FEW = 30;

  test("in stg by the primary key", async () => {
    /** Loads messages of every stream. @returns the rows that planning reads, and those that typing reads of each stream */
    const loadMore = async (count: number, from: number) => {
      await insertRaw(count, from);
      const ofLoad = { ...readPlan().params, lease_id: (await lastLease()) + 1 };
      const toPlan = await rowsToRead(readQuery("etl/load_ods/plan.sql"), ofLoad);
      await step("load_ods");
      const planned = await engine.db.rows<Params>(readQuery("etl/load_ods/ranges.sql"), ofLoad);
      const toType: number[] = [];
      for (const stream of STREAMS) {
        const ranges = planned.find((one) => one.stream === stream)?.ranges ?? "[]";
        const params = { ...ofLoad, ...typingParams(stream), ranges };
        toType.push(await rowsToRead(await selectTyped(engine.db, stream, params), params));
      }
      return { toPlan, toType };
    };
    await newEpoch(engine.db);
    expect((await loadMore(OLDER, 0)).toType).toEqual(STREAMS.map(() => OLDER));
    // One granule at the end of each partition, and the beginning of the next one, are read.
    const further = await loadMore(FEW, OLDER);
    expectBetween(further.toPlan, STREAMS.length * FEW, STREAMS.length * 7 * GRANULE);
    for (const rows of further.toType) expectBetween(rows, FEW, 7 * GRANULE);
    expect((await loadMore(0, 0)).toType).toEqual(STREAMS.map(() => 0));
    await newEpoch(engine.db);
    // The rows of a stream may be at the end of one granule and the beginning of the next one, and in parts that are small.
    for (const rows of (await loadMore(FEW, 0)).toType) expectBetween(rows, FEW, 3 * GRANULE);
  });

  test("in ods by the index of loads, for rows without a commit", async () => {
    await newEpoch(engine.db);
    await insertRaw(OLDER, 0);
    const load_id = await step("load_ods");
    const search = readQuery("etl/load_ods/has_interrupted_load.sql")
      .replace(/;\s*$/, "")
      .replaceAll("{lease_id:UInt64}", String(load_id + 1));
    const plansAndCommits = 100;
    expect(await rowsReadBy(engine.db, search)).toBeLessThan(plansAndCommits);
    await engine.db.run("TRUNCATE TABLE ods.load_commit");
    expect(await rowsReadBy(engine.db, search)).toBeGreaterThanOrEqual(STREAMS.length * OLDER);
  });

  function expectBetween(rows: number, atLeast: number, atMost: number): void {
    expect(rows).toBeGreaterThanOrEqual(atLeast);
    expect(rows).toBeLessThanOrEqual(atMost);
  }

  /** Messages of every stream in three partitions, from a position of the topic on. */
  async function insertRaw(count: number, from: number): Promise<void> {
    for (const stream of STREAMS) {
      await engine.db.run(
        `INSERT INTO stg.raw (epoch, _topic, _partition, _offset, raw)
         SELECT (SELECT max(epoch) FROM stg.epoch), {topic:String}, number % 3, intDiv(number, 3),
           format('{{"event_id":"{0}","click_id":"{0}","event_timestamp":"2026-01-01 10:00:00"}}', toString(generateUUIDv4()))
         FROM numbers({from:UInt64}, {count:UInt64})`,
        { topic: streams[stream].topic, from, count },
      );
    }
  }

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
