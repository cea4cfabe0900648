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
  await db.run("DROP VIEW stg.epoch_mv");
  await db.run(
    "CREATE MATERIALIZED VIEW stg.epoch_mv TO dm.truth AS SELECT 'x' AS effect FROM stg.raw",
  );
  expect((await differences(db))[0]).toContain("writes to dm.truth instead of stg.epoch");
  await applyDdl(db, "all");
  expect(await differences(db)).toEqual([]);
});

test("ddl replaces the readers of one tier by those of another", async () => {
  const { db } = engine;
  await applyDdl(db, "service");
  expect(await differences(db, "service")).toEqual([]);
  await db.run("CREATE NAMED COLLECTION kafka AS kafka_broker_list = 'localhost:9'");
  await applyDdl(db, "broker");
  expect(await differences(db, "broker")).toEqual([]);
});
