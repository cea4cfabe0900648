import { expect, test } from "vitest";
import { transform } from "../../warehouse/batch/transform.ts";
import { browserMessage, deviceMessage, geoMessage, locationMessage } from "../support/messages.ts";
import { publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();

/** Loads what is new; returns the steps that had nothing to do, because all layers have the last load. */
async function stepsLeftOut(): Promise<string[]> {
  const results = await transform(engine.db, { fullRefresh: false, waitSeconds: 1 });
  return results
    .filter(({ skipped }) => skipped === "all layers have the last load")
    .map(({ id }) => id);
}

const CHANGES = [
  "TRUNCATE TABLE dm.visitor",
  "INSERT INTO dm.truth (position) VALUES (1)",
  "TRUNCATE TABLE dds.integrity_check",
  "INSERT INTO dds.integrity_check SELECT * REPLACE (1 AS orphan_events, now64(6) AS checked_at) FROM dds.integrity_check ORDER BY checked_at DESC LIMIT 1",
  "DELETE FROM dm.visitor WHERE true",
  ...["load_dds", "load_dm_sessions", "load_dm_truth"].map(
    (step) =>
      `INSERT INTO stg.lease SELECT max(id), '${step}', 'a killed run', now64(6), now64(6) FROM stg.lease`,
  ),
  "INSERT INTO dds.expiry (id, finished_at) SELECT max(id), now64(6) FROM stg.lease",
  "INSERT INTO stg.manifest (epoch, source) SELECT max(epoch), 'a source' FROM stg.epoch",
  "INSERT INTO stg.epoch (epoch, reason) SELECT max(epoch) + 1, 'test' FROM stg.epoch",
  "ALTER TABLE dds.load_commit UPDATE definition = 'other' WHERE true SETTINGS mutations_sync = 2",
  "ALTER TABLE dm_internal.load_commit UPDATE definition = 'other' WHERE true SETTINGS mutations_sync = 2",
  "ALTER TABLE dm_internal.load_commit DELETE WHERE target = 'dq_summary' SETTINGS mutations_sync = 2",
  "ALTER TABLE stg.raw DELETE WHERE _topic = 'geo_events' SETTINGS mutations_sync = 2",
];

test("a load without messages ends early, unless something else has changed", async () => {
  const { db } = engine;
  await publish(db, [browserMessage({}), locationMessage({}), deviceMessage({}), geoMessage({})]);
  expect(await stepsLeftOut()).toEqual([]);
  const all = await stepsLeftOut();
  expect(all).toHaveLength(8);
  for (const change of CHANGES) {
    await db.run(change);
    expect(await stepsLeftOut(), change).toEqual([]);
    expect(await stepsLeftOut(), change).toEqual(all);
  }
  await publish(db, [browserMessage({})]);
  expect(await stepsLeftOut()).toEqual([]);
});
