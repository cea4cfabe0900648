import { afterAll, beforeAll, expect, test } from "vitest";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { CHANGES, differences, expectDifference } from "./schema-changes.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

test("a schema that ddl just made has no differences", async () => {
  expect(await differences(engine.db)).toEqual([]);
});

test.each(Object.entries(CHANGES))("%s is found", (_, change) =>
  expectDifference(engine.db, change),
);

test("ddl replaces a materialized view that writes to another table", async () => {
  const { db } = engine;
  await db.run("DROP VIEW stg.geo_epoch_mv");
  await db.run(
    "CREATE MATERIALIZED VIEW stg.geo_epoch_mv TO dm.truth AS SELECT 'x' AS effect FROM stg.geo_raw",
  );
  expect((await differences(db))[0]).toContain("writes to dm.truth instead of stg.epoch");
  await applyDdl(db, "all");
  expect(await differences(db)).toEqual([]);
});

test("the tier service has its deduplication window, which ddl sets", async () => {
  const { db } = engine;
  const window = "non_replicated_deduplication_window";
  await applyDdl(db, "service");
  expect(await differences(db, "service")).toEqual([]);
  await db.run(`ALTER TABLE stg.geo_raw RESET SETTING ${window}`);
  await db.run(`ALTER TABLE stg.device_raw MODIFY SETTING ${window} = 5`);
  expect(await differences(db, "service")).toEqual([
    `stg.device_raw: no setting ${window} = 1000; setting ${window} = 5 is not declared`,
    `stg.geo_raw: no setting ${window} = 1000`,
  ]);
  await applyDdl(db, "service");
  expect(await differences(db, "service")).toEqual([]);
});

test("a window that the tier service has left is no difference", async () => {
  const { db } = engine;
  await applyDdl(db, "service");
  const found = (await differences(db)).filter((line) => line.includes("setting"));
  expect(found).toEqual([]);
});
