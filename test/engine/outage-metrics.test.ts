import { expect, test } from "vitest";
import { pipelineMetrics } from "../../contract/metrics.ts";
import { thresholds } from "../../dashboards/thresholds.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { donorPool } from "../../generator/behaviour/scenario/donors.ts";
import { parseConfig } from "../../generator/config.ts";
import type { StateV3 } from "../../generator/model/state.ts";
import { StgPublisher } from "../../warehouse/loader/stg-publisher.ts";
import { load } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();

/** Publishes the scenario until then, from where it was left, and loads it. */
async function runUntil(tEnd: string, from?: StateV3): Promise<StateV3> {
  const config = parseConfig({
    GEN_SCENARIO: "tracker-outage",
    GEN_LAMBDA_BASE_PER_MIN: "5",
    GEN_RUN_MODE: "backfill",
    GEN_MODEL_T_END: tEnd,
  });
  const publisher = await StgPublisher.open(engine.db);
  const options = from === undefined ? {} : { from };
  const { state } = await runBackfill(config, donorPool(config), publisher, options);
  await publisher.close();
  await load(engine.db, from === undefined ? "full" : "incremental");
  return state;
}

const metric = async (name: string, label: string): Promise<number> => {
  const [row] = await engine.db.rows<{ value: number }>(
    `SELECT sum(value) AS value FROM dm_internal.v_pipeline_metrics
     WHERE name = '${name}' AND has(mapValues(labels), '${label}')`,
  );
  return Number(row?.value);
};
const counts = async () => ({
  missing: await metric(pipelineMetrics.missingMessages, "location_not_found"),
  typed: await metric(pipelineMetrics.messages, "typed"),
});

test("an outage of the tracker raises the share that the alert compares with its threshold", async () => {
  const before = await runUntil("2026-08-06T08:55:00Z");
  const calm = await counts();
  expect(calm.missing).toBeGreaterThan(0);
  expect((100 * calm.missing) / calm.typed).toBeLessThan(thresholds.errorSharePercent);
  await runUntil("2026-08-06T09:55:00Z", before);
  const after = await counts();
  const [missing, typed] = [after.missing - calm.missing, after.typed - calm.typed];
  expect(typed).toBeGreaterThan(thresholds.fewestMessages);
  expect((100 * missing) / typed).toBeGreaterThan(10 * thresholds.errorSharePercent);
});
