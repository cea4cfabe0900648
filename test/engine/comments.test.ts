import { afterAll, beforeAll, expect, test } from "vitest";
import { streams } from "../../contract/streams.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

const LAYERS = "database IN ('ods', 'dds', 'dm', 'dm_internal')";

const commentOf = async (column: string): Promise<string | undefined> => {
  const [row] = await engine.db.rows<{ comment: string }>(
    `SELECT comment FROM system.columns WHERE concat(database, '.', table, '.', name) = {column:String}`,
    { column },
  );
  return row?.comment;
};

test("every table and view has a description, and so has each column", async () => {
  expect(
    await engine.db.rows(
      `SELECT concat(database, '.', name) AS name FROM system.tables AS t
       WHERE comment = '' AND ${LAYERS}`,
    ),
  ).toEqual([]);
  expect(
    await engine.db.rows(
      `SELECT concat(database, '.', table, '.', name) AS name FROM system.columns
       WHERE comment = '' AND ${LAYERS}`,
    ),
  ).toEqual([]);
});

test("a column has the contract's description, and a mart's own column the mart's", async () => {
  const { event_timestamp: field } = streams.browser.fields;
  expect(await commentOf("dds.event.event_timestamp")).toBe(field.description);
  expect(await commentOf("ods.browser_parsed.event_timestamp")).toBe(field.description);
  expect(await commentOf("dm.v_funnel.sessions")).toBe("Sessions");
  expect(await commentOf("dm_internal.v_pipeline_metrics.value")).toBe("Value of the metric");
});

test("ddl restores a missing or changed description", async () => {
  await engine.db.run(
    "ALTER TABLE dm.session MODIFY COMMENT '', COMMENT COLUMN entry_page 'it''s'",
  );
  await applyDdl(engine.db, "all");
  expect(await commentOf("dm.session.entry_page")).toBe("First page of the session");
  const [row] = await engine.db.rows<{ comment: string }>(
    "SELECT comment FROM system.tables WHERE database = 'dm' AND name = 'session'",
  );
  expect(row?.comment).toMatch(/^One row per session/);
});
