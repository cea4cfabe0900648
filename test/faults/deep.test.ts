import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { publishedTables, readPlan } from "../../warehouse/batch/plan.ts";
import { renderDeep } from "../../warehouse/reconciliation/deep/render.ts";
import { CHECKED_TABLES, type DeepResult, proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
let messages: Message[];
/** Brings back a load of the first half and one of the rest, so that some rows of two loads are rewritten. */
let restoreTwoLoads: () => Promise<void>;
beforeAll(async () => {
  ({ messages } = await generateMessages("deep", 3));
  await publish(engine.db, messages.slice(0, messages.length / 2));
  await load(engine.db, "incremental");
  await publish(engine.db, messages.slice(messages.length / 2));
  await load(engine.db, "incremental");
  restoreTwoLoads = await keepAll(engine.db);
});
beforeEach(() => clearAll(engine.db));

const differing = ({ lines }: DeepResult) =>
  lines.filter(({ isEqual }) => !isEqual).map(({ layer, table }) => `${layer}.${table}`);

test("recomputes the rows of two incremental loads and a full refresh", async () => {
  await restoreTwoLoads();
  const result = await proveDeep(engine.db);
  expect(result).toMatchObject({ layers: [], rows: [], unchecked: [] });
  const tables = new Set(result.lines.map(({ layer, table }) => `${layer}.${table}`));
  const checked = CHECKED_TABLES.map(({ name }) => name);
  expect(checked.filter((table) => !tables.has(table) && !table.endsWith("_errors"))).toEqual([]);
  await load(engine.db, "full");
  expect(await proveDeep(engine.db)).toMatchObject({ layers: [], rows: [], unchecked: [] });
});

/** Sets the ingestion time of the first page events and all geo messages in ods to `days` ago. */
async function ingestedDaysAgo(days: number): Promise<void> {
  for (const [table, where] of [
    ["browser_event", "_offset < 20"],
    ["browser_event_errors", "_offset < 20"],
    ["geo_event", "true"],
    ["geo_event_errors", "true"],
  ]) {
    await engine.db.run(
      `ALTER TABLE ods.${table} UPDATE ingested_at = now64(6) - INTERVAL ${days} DAY WHERE ${where}
       SETTINGS mutations_sync = 2`,
    );
  }
}

test("a row that stg lacks before its time to live is lost, and ods has the only copy", async () => {
  await restoreTwoLoads();
  await ingestedDaysAgo(29);
  await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'browser_events' AND _offset < 20");
  await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'geo_events'");
  const { layers, lines, onlyCopies } = await proveDeep(engine.db);
  expect(layers[0]).toBe("ods");
  const differing = lines.filter(({ layer, isEqual }) => layer === "ods" && !isEqual);
  expect(new Set(differing.map(({ stream }) => stream))).toEqual(new Set(["browser", "geo"]));
  expect(differing.every(({ expected, found }) => found > expected)).toBe(true);
  expect(onlyCopies).toBeGreaterThan(20);
});

test("reads expired messages of stg from ods", async () => {
  await restoreTwoLoads();
  await ingestedDaysAgo(31);
  await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'browser_events' AND _offset < 20");
  await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'geo_events'");
  expect(await proveDeep(engine.db)).toMatchObject({ layers: [], rows: [], unchecked: [] });
  await engine.db.run("DELETE FROM ods.location_event WHERE _offset = 30");
  expect(differing(await proveDeep(engine.db))).toEqual(["ods.location_event"]);
});

test("compares the ingestion time after a later delivery", async () => {
  await restoreTwoLoads();
  await engine.db.run(
    "INSERT INTO stg.raw SELECT * REPLACE (now64(6) AS ingested_at) FROM stg.raw WHERE _topic = 'device_events'",
  );
  expect(await proveDeep(engine.db)).toMatchObject({ layers: [], rows: [] });
});

test("ignores rows without a finished load", async () => {
  await publish(engine.db, messages);
  const { unchecked, lines } = await proveDeep(engine.db);
  expect(unchecked.map(({ layer, table }) => `${layer}.${table}`)).toEqual(
    publishedTables(readPlan()).map(({ publish: table }) => table),
  );
  expect(lines).toEqual([]);
});

describe("names table, day, row and column of", () => {
  beforeEach(() => restoreTwoLoads());

  test("a value that was changed in ods, without blaming dds and dm", async () => {
    await engine.db.run(
      "INSERT INTO ods.browser_event SELECT * REPLACE ('Lynx' AS browser_name) FROM ods.browser_event WHERE _offset = 7",
    );
    await engine.db.run(
      "DELETE FROM ods.browser_event WHERE _offset = 7 AND browser_name != 'Lynx'",
    );
    const result = await proveDeep(engine.db);
    expect(result.layers).toEqual(["ods"]);
    expect(result.lines.filter(({ isEqual }) => !isEqual)).toMatchObject([
      { table: "browser_event", stream: "browser", day: "2026-01-01" },
    ]);
    expect(result.rows).toMatchObject([{ columns: ["browser_name"] }]);
    expect(result.rows[0]?.key).toContain("_offset = 7");
    expect(renderDeep(result)).toContain("browser_name");
  });

  test("an event that is missing in dds, without blaming dm", async () => {
    const [event] = await engine.db.rows<{ id: string }>(
      "SELECT toString(event_id) AS id FROM dds.event LIMIT 1",
    );
    await engine.db.run("DELETE FROM dds.event WHERE event_id = {id:UUID}", event);
    const result = await proveDeep(engine.db);
    expect(result.rows.filter(({ table }) => table === "event")).toMatchObject([
      { layer: "dds", key: `event_id = ${event?.id}`, expected: 1, found: 0, columns: [] },
    ]);
    expect(differing(result)).toEqual(["dds.event"]);
    // Runs the same check in many parts.
    const { lines, rows } = await proveDeep(engine.db, 10);
    expect({ lines, rows }).toEqual({ lines: result.lines, rows: result.rows });
  });
});

test("recomputes repeats of a newer epoch", async () => {
  await publish(engine.db, messages);
  await load(engine.db, "incremental");
  await newEpoch(engine.db);
  await publish(engine.db, messages.slice(0, messages.length / 3).reverse());
  await load(engine.db, "incremental");
  expect(await proveDeep(engine.db)).toMatchObject({ layers: [], rows: [], unchecked: [] });
});

describe("names a view that differs from its declaration", () => {
  const VIEW = "dm.v_sources";
  const views = async () => {
    const result = await proveDeep(engine.db);
    return result.views.map(({ object, what }) => `${object}: ${what}`);
  };
  afterEach(() => applyDdl(engine.db, "all"));

  test.each([
    ["missing", `DROP VIEW ${VIEW}`],
    ["another query", `CREATE OR REPLACE VIEW ${VIEW} AS SELECT 1 AS x`],
  ])("%s", async (what, sql) => {
    await engine.db.run(sql);
    expect(await views()).toEqual([expect.stringMatching(new RegExp(`^${VIEW}: .*${what}`))]);
    await applyDdl(engine.db, "all");
    expect(await views()).toEqual([]);
  });
});
