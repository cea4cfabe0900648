import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pipelineMetrics } from "../../contract/metrics.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { openTestEngine, rowsReadBy, type TestEngine } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";

interface Row {
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

let engine: TestEngine;
let first: Message[];
let second: Message[];
beforeAll(async () => {
  engine = await openTestEngine();
  const { messages } = await generateMessages("metrics", 120);
  first = messages.slice(0, 600);
  second = messages.slice(600, 800);
});
afterAll(() => engine[Symbol.asyncDispose]());

const metrics = (): Promise<Row[]> =>
  engine.db.rows<Row>("SELECT name, value, labels FROM dm_internal.v_pipeline_metrics");
/** Sum over all series of a metric with these labels. */
async function sum(
  name: keyof typeof pipelineMetrics,
  labels: Row["labels"] = {},
): Promise<number> {
  const own = (await metrics()).filter(
    (row) =>
      row.name === pipelineMetrics[name] &&
      Object.entries(labels).every(([key, value]) => row.labels[key] === value),
  );
  return own.reduce((total, { value }) => total + Number(value), 0);
}
const states = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      ["raw", "typed", "rejected", "pending", "lost", "doubled"].map(async (state) => [
        state,
        await sum("messages", { state }),
      ]),
    ),
  );

const NOTHING = { raw: 0, typed: 0, rejected: 0, pending: 0 };

/** These tests depend on each other: each starts from the state that the previous one left. */
describe("metrics of the layers", () => {
  test("are zeros without data, not gaps, and no layer has an age", async () => {
    expect(await states()).toEqual({ ...NOTHING, lost: 0, doubled: 0 });
    const names = new Set((await metrics()).map(({ name }) => name));
    expect(names).not.toContain(pipelineMetrics.newestIngestion);
    expect(names).toContain(pipelineMetrics.orphanEvents);
  });

  test("count unloaded messages as pending", async () => {
    await newEpoch(engine.db);
    await publish(engine.db, first);
    expect(await states()).toMatchObject({ raw: first.length, pending: first.length, typed: 0 });
  });

  test("count loaded messages as typed or rejected; every layer is fresh, every name is the contract's", async () => {
    await load(engine.db, "full");
    const { raw, typed = 0, rejected = 0, ...others } = await states();
    expect([raw, typed + rejected]).toEqual([first.length, first.length]);
    expect(others).toEqual({ pending: 0, lost: 0, doubled: 0 });
    const rows = await metrics();
    const layers = rows.filter(({ name }) => name === pipelineMetrics.newestIngestion);
    expect(layers.map(({ labels }) => labels.layer).toSorted()).toEqual([
      "dds",
      "dm",
      "ods",
      "stg",
    ]);
    for (const { value } of layers)
      expect(Math.abs(Date.now() / 1000 - Number(value))).toBeLessThan(120);
    expect([...new Set(rows.map(({ name }) => name))].toSorted()).toEqual(
      Object.values(pipelineMetrics).toSorted(),
    );
  });

  test("have the time of the newest event in dm, by the clocks that are right", async () => {
    const [row] = await engine.db.rows<{ newest: number }>(
      `SELECT toUnixTimestamp64Milli(toDateTime64(max(event_timestamp), 3, 'UTC')) AS newest FROM dm.event_enriched
       WHERE NOT has(event_markers, 'skewed_clock')`,
    );
    expect(row?.newest).toBeGreaterThan(0);
    expect((await sum("newestEvent", { layer: "dm" })) * 1000).toBeCloseTo(row?.newest ?? 0, 0);
  });

  test("count missing messages by reason", async () => {
    const counts = await engine.db.rows<{ reason: string; messages: number }>(
      "SELECT metric AS reason, sum(value) AS messages FROM dm.dq_summary WHERE metric IN ('location_not_found', 'geo_missing') GROUP BY metric",
    );
    expect(counts.map(({ reason }) => reason)).toContain("location_not_found");
    for (const { reason, messages } of counts) {
      expect(await sum("missingMessages", { reason }), reason).toBe(Number(messages));
    }
  });

  test("have the next offset after the last one, by topic", async () => {
    for (const stream of STREAMS) {
      const [row] = await engine.db.rows<{ next: number }>(
        `SELECT if(count() = 0, 0, max(_offset) + 1) AS next FROM stg.raw WHERE _topic = '${stream}_events'`,
      );
      expect(await sum("nextOffset", { topic: streams[stream].topic })).toBe(Number(row?.next));
    }
  });

  test("count later messages as pending until the next load", async () => {
    await publish(engine.db, second);
    expect(await states()).toMatchObject({ pending: second.length, lost: 0, doubled: 0 });
    await load(engine.db, "incremental");
    expect(await states()).toMatchObject({ pending: 0, lost: 0, doubled: 0 });
  });

  test("count a redelivered row once", async () => {
    const before = await states();
    await engine.db.run(
      "INSERT INTO stg.raw SELECT * FROM stg.raw WHERE _topic = 'browser_events' LIMIT 10",
    );
    expect(await states()).toEqual(before);
  });

  test("read stg and ods once, because a scrape every 30 seconds must not join both", async () => {
    const ofOds = STREAMS.flatMap((stream) => [
      `ods.${stream}_event`,
      // The view reads it for the rejected messages, the reasons and their sum.
      ...Array<string>(3).fill(`ods.${stream}_event_errors`),
    ]);
    const [stored] = await engine.db.rows<{ rows: number }>(
      `SELECT sum(c) AS rows FROM (${["stg.raw", ...ofOds].map((table) => `SELECT count() AS c FROM ${table}`).join(" UNION ALL ")})`,
    );
    const small = 200; // Commits, ranges, names of tables and parts.
    expect(
      await rowsReadBy(engine.db, "SELECT * FROM dm_internal.v_pipeline_metrics"),
    ).toBeLessThan(Number(stored?.rows) + small);
  });

  test("count a missing row of ods as lost", async () => {
    await engine.db.run(
      "DELETE FROM ods.browser_event WHERE (_partition, _offset) IN (SELECT _partition, _offset FROM ods.browser_event ORDER BY _offset LIMIT 3)",
    );
    expect(await sum("messages", { state: "lost" })).toBe(3);
    expect(await sum("messages", { state: "lost", stream: "browser" })).toBe(3);
  });

  test("count a lost row beside a duplicated one of its partition", async () => {
    await engine.db.run(
      "INSERT INTO ods.browser_event SELECT * FROM ods.browser_event ORDER BY _offset DESC LIMIT 1",
    );
    expect(await states()).toMatchObject({ lost: 3, doubled: 1 });
    await engine.db.run("OPTIMIZE TABLE ods.browser_event FINAL DEDUPLICATE");
    expect(await states()).toMatchObject({ lost: 3, doubled: 0 });
  });

  test("count missing rows as lost after their messages have expired from stg", async () => {
    const [row] = await engine.db.rows<{ last: number }>(
      "SELECT quantileExact(0.9)(_offset) AS last FROM stg.raw WHERE _topic = 'browser_events'",
    );
    // The younger rows disappear from ods, then the older ones expire in stg by their time to live.
    await engine.db.run(
      `DELETE FROM ods.browser_event WHERE (_partition, _offset) IN (SELECT _partition, _offset FROM ods.browser_event WHERE _offset > ${row?.last} ORDER BY _offset LIMIT 2)`,
    );
    await engine.db.run(
      `DELETE FROM stg.raw WHERE _topic = 'browser_events' AND _offset <= ${row?.last}`,
    );
    const { raw = 0, typed = 0, lost } = await states();
    expect(typed).toBeGreaterThan(raw);
    expect(lost).toBe(2);
  });

  test("count a loss beside a partition with more rows in ods than in stg", async () => {
    await engine.db.run(
      "INSERT INTO ods.browser_event (epoch, _partition, _offset) SELECT max(epoch), _partition, max(_offset) + 1 FROM stg.raw WHERE _topic = 'browser_events' GROUP BY _partition ORDER BY _partition LIMIT 1",
    );
    const before = await sum("messages", { state: "lost" });
    // A message of another partition, below the watermark and in no table of ods.
    await engine.db.run(
      "INSERT INTO stg.raw (epoch, _topic, _partition, _offset) SELECT max(epoch), any(_topic), 90, 5 FROM stg.raw WHERE _topic = 'browser_events'",
    );
    await engine.db.run(
      "INSERT INTO ods.load_range (load_id, stream, epoch, _partition, offset_from, offset_to) SELECT max(load_id), 'browser', max(epoch), 90, -1, 9 FROM ods.load_range",
    );
    expect(await sum("messages", { state: "lost" })).toBe(before + 1);
  });

  test("cover loads of the past 30 days", async () => {
    const before = await sum("messages", { state: "lost" });
    const plan = (days: number) =>
      engine.db.run(
        `ALTER TABLE ods.load_range UPDATE planned_at = now() - INTERVAL ${days} DAY WHERE true SETTINGS mutations_sync = 1`,
      );
    await plan(31);
    expect(await sum("messages", { state: "lost" })).toBe(0);
    await plan(29);
    expect(await sum("messages", { state: "lost" })).toBe(before);
  });

  test("start at zero with a new epoch, and keep the losses of an earlier one", async () => {
    const { lost } = await states();
    expect(lost).toBeGreaterThan(0);
    await newEpoch(engine.db);
    expect(await states()).toEqual({ ...NOTHING, lost, doubled: 0 });
    expect(await sum("rows", { entity: "raw" })).toBeGreaterThan(0);
  });
});
