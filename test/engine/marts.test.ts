import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMarts } from "../../superset/import/marts.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { browserMessage, deviceMessage } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
});

test("marts are loaded when a load has come through, not when it stopped after the page events", async () => {
  const { db } = engine;
  expect(await requireMarts(db)).toEqual({ rows: 0, isLoaded: false });
  await publish(db, [browserMessage({}), deviceMessage({})]);
  await load(db, "full");
  expect(await requireMarts(db)).toEqual({ rows: 1, isLoaded: true });
  await db.run("TRUNCATE TABLE dm.session");
  expect(await requireMarts(db)).toEqual({ rows: 1, isLoaded: false });
});
