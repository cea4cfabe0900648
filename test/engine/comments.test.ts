import { expect, test } from "vitest";
import { streams } from "../../contract/streams.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();

const LAYERS = "database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal')";

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

test("a view of a whole mart describes each column as the mart does", async () => {
  const differences = `
    SELECT view.name AS name, view.comment AS shown, mart.comment AS described
    FROM system.columns AS view JOIN system.columns AS mart ON view.name = mart.name
    WHERE view.database = 'dm' AND mart.database = 'dm' AND shown != described
      AND (view.table, mart.table) IN (('v_events_enriched', 'event_enriched'), ('v_session_overview', 'session'))`;
  expect(await engine.db.rows(differences)).toEqual([]);
});

test("a column without a COMMENT has that of its name above it in sql/ddl, else the contract's", async () => {
  const { event_timestamp: field } = streams.browser.fields;
  expect(await commentOf("dds.event.event_timestamp")).toBe(field.description);
  expect(await commentOf("ods.browser_parsed.event_timestamp")).toBe(field.description);
  expect(await commentOf("dm.v_funnel.sessions")).toBe("Sessions");
  expect(await commentOf("dm.v_event_types.order_value")).toBe("Sum of order_value of the events");
  expect(await commentOf("dm.visitor.user_custom_id")).toBe("Visitor, registered or not");
  expect(await commentOf("dm.v_events_enriched.user_custom_id")).toMatch(/NULL if unknown/);
});

test("ddl restores a missing or changed description", async () => {
  const declared = await commentOf("dm.session.entry_page");
  expect(declared).toMatch(/page/);
  await engine.db.run(
    "ALTER TABLE dm.session MODIFY COMMENT '', COMMENT COLUMN entry_page 'it''s'",
  );
  await applyDdl(engine.db, "all");
  expect(await commentOf("dm.session.entry_page")).toBe(declared);
  const [row] = await engine.db.rows<{ comment: string }>(
    "SELECT comment FROM system.tables WHERE database = 'dm' AND name = 'session'",
  );
  expect(row?.comment).toMatch(/^One row per session/);
});
