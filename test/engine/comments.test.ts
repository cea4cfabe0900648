import { afterAll, beforeAll, expect, test } from "vitest";
import { streams } from "../../contract/streams.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

/** Scratch tables are described as a whole only. */
const READ = `database IN ('ods', 'dds', 'dm') AND NOT match(table, '_mv$|_parsed$')`;

const commentOf = async (column: string): Promise<string | undefined> => {
  const [row] = await engine.db.rows<{ comment: string }>(
    `SELECT comment FROM system.columns WHERE concat(database, '.', table, '.', name) = {column:String}`,
    { column },
  );
  return row?.comment;
};

test("every table and view that people read is described, and so is each of its columns", async () => {
  expect(
    await engine.db.rows(
      `SELECT concat(database, '.', name) AS name FROM system.tables AS t
       WHERE comment = '' AND ${READ.replaceAll("table", "name")}`,
    ),
  ).toEqual([]);
  expect(
    await engine.db.rows(
      `SELECT concat(database, '.', table, '.', name) AS name FROM system.columns
       WHERE comment = '' AND ${READ} AND NOT match(table, '^work_')`,
    ),
  ).toEqual([]);
});

test("a column is described as in the contract, and a mart's own by the mart", async () => {
  const { event_timestamp: field } = streams.browser.fields;
  expect(await commentOf("dds.event.event_timestamp")).toBe(field.description);
  expect(await commentOf("dm.v_funnel.visits")).toBe("Sessions");
  expect(await commentOf("dm.v_pipeline_metrics.value")).toBe("Value of the metric");
});

test("a description that was lost or changed comes back with the next ddl", async () => {
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
