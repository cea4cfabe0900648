import { beforeAll, describe, expect, test } from "vitest";
import { pipelineMetrics } from "../../contract/metrics.ts";
import { STREAMS } from "../../contract/streams.ts";
import { rowsReadBy } from "../support/engine.ts";
import { generateMessages } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeAll(async () => {
  const { messages } = await generateMessages("metrics", 120);
  await newEpoch(engine.db);
  await publish(engine.db, messages.slice(0, 600));
  await load(engine.db, "full");
});

const valuesOf = async (name: keyof typeof pipelineMetrics, label: string) => {
  const rows = await engine.db.rows<{ label: string; value: number }>(
    `SELECT labels[{label:String}] AS label, sum(value) AS value FROM dm_internal.v_pipeline_metrics
     WHERE name = {name:String} GROUP BY label`,
    { name: pipelineMetrics[name], label },
  );
  return Object.fromEntries(rows.map(({ label, value }) => [label, Number(value)]));
};

/** The counts of each state are in expected-rows/ddl/40_dm/70_v_pipeline_metrics.yaml. */
describe("metrics of the layers after a load", () => {
  test("account for every message, and have every name of the contract", async () => {
    const { raw, typed = 0, rejected = 0, ...others } = await valuesOf("messages", "state");
    expect([raw, typed + rejected]).toEqual([600, 600]);
    expect(others).toEqual({ pending: 0, lost: 0, doubled: 0 });
    const names = await engine.db.rows<{ name: string }>(
      "SELECT DISTINCT name FROM dm_internal.v_pipeline_metrics ORDER BY name",
    );
    expect(names.map(({ name }) => name)).toEqual(Object.values(pipelineMetrics).toSorted());
  });

  test("have the time of the newest event in dm, by the clocks that are right", async () => {
    const [row] = await engine.db.rows<{ newest: number }>(
      `SELECT toUnixTimestamp64Milli(toDateTime64(max(event_timestamp), 3, 'UTC')) AS newest FROM dm.event_enriched
       WHERE NOT has(event_markers, 'skewed_clock')`,
    );
    expect(row?.newest).toBeGreaterThan(0);
    expect(((await valuesOf("newestEvent", "layer")).dm ?? 0) * 1000).toBeCloseTo(
      row?.newest ?? 0,
      0,
    );
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

  test("cover loads of the past 30 days", async () => {
    await engine.db.run(
      "DELETE FROM ods.browser_event WHERE (_partition, _offset) IN (SELECT _partition, _offset FROM ods.browser_event ORDER BY _offset LIMIT 3)",
    );
    const lostIn = async (days: number) => {
      await engine.db.run(
        `ALTER TABLE ods.load_range UPDATE planned_at = now() - INTERVAL ${days} DAY WHERE true SETTINGS mutations_sync = 1`,
      );
      return (await valuesOf("messages", "state")).lost;
    };
    expect([await lostIn(31), await lostIn(29)]).toEqual([0, 3]);
  });
});
