import { describe, expect, test } from "vitest";
import {
  objectsIn,
  rebuildDetails,
  schemaImpact,
  schemaSentences,
  tableLoss,
} from "../../../stack/preview-report/schema.ts";
import { type DeclaredObject, readDeclared } from "../../../warehouse/schema/compare.ts";

const schema = readDeclared();

/** The recorded schema with one object changed. */
const withChange = (object: string, change: Partial<DeclaredObject>): DeclaredObject[] =>
  schema.map((one) => (one.object === object ? { ...one, ...change } : one));

const without = (object: string): DeclaredObject[] => schema.filter((one) => one.object !== object);

const sentencesOf = (
  before: readonly DeclaredObject[],
  after: readonly DeclaredObject[] = schema,
) => schemaSentences(schemaImpact(before, after)).join("\n");

const lossOf = (before: readonly DeclaredObject[]) => tableLoss(schemaImpact(before, schema));

describe("a changed schema", () => {
  test("without a difference means nothing", () => {
    expect(sentencesOf(schema)).toBe("");
  });

  test.each([["ods.browser_event_mv"], ["dds.browser_candidate"], ["dm.v_funnel"], ["stg.geo_mv"]])(
    "%s is a view: `ddl` replaces it without a rebuild",
    (object) => {
      const before = withChange(object, { query: "SELECT1" });
      const text = sentencesOf(before);
      expect(text).toContain(`replaces the views \`${object}\``);
      expect(text).not.toMatch(/rebuild|by hand/);
      expect(rebuildDetails(schemaImpact(before, schema))).toEqual([]);
    },
  );

  test("a table of stg stays unchanged, without advice to rebuild", () => {
    const text = sentencesOf(withChange("stg.browser_raw", { ttl: "" }));
    expect(text).toMatch(/:warning: `ddl` fails on `stg\.browser_raw` \(TTL none instead of .*\)/);
    expect(text).toContain("alter the table by hand");
    expect(text).not.toContain("--rebuild");
  });

  test("a table of ods: what a rebuild changes and what it loses", () => {
    const before = withChange("ods.browser_event", { columns: ["event_id UUID"] });
    const text = sentencesOf(before);
    expect(text).toContain("`ddl` fails on `ods.browser_event` (no column click_id UUID");
    expect(text).toContain("`pipeline ddl --rebuild ods`");
    expect(lossOf(before)[0]).toBe(
      "a rebuild of `ods` deletes rows older than 30 days, which `stg` no longer has",
    );
    const [details = ""] = rebuildDetails(schemaImpact(before, schema));
    for (const table of ["ods.geo_event", "dds.event", "dds.work_touched", "dm.session"]) {
      expect(details).toContain(`\`${table}\``);
    }
    expect(details).not.toMatch(/stg\.|_mv`|v_funnel|_candidate/);
  });

  test("stg has the columns that the base declares", () => {
    const before = withChange("ods.browser_event", { columns: [] }).map((one) => ({
      ...one,
      ttl: one.ttl.replace("(30)", "(7)"),
    }));
    expect(lossOf(before)[0]).toContain("older than 7 days");
  });

  test("a rebuild of dds keeps the events, and deletes the previous checks", () => {
    const before = withChange("dds.event", { sortingKey: "event_id" });
    expect(sentencesOf(before)).toContain("--rebuild dds");
    expect(lossOf(before)).toEqual([
      "a rebuild of `dds` deletes the previous rows of `dds.integrity_check`",
    ]);
  });

  test("a rebuild of dm loses nothing", () => {
    const before = withChange("dm.session", { partitionKey: "x" });
    expect(sentencesOf(before)).toContain("--rebuild dm");
    expect(lossOf(before)).toEqual([]);
  });

  test("new objects are created, undeclared ones stay", () => {
    expect(sentencesOf(without("dm.session"))).toBe("`ddl` creates `dm.session`");
    expect(sentencesOf(schema, without("dm.v_funnel"))).toBe(
      "no longer declared, but kept in the database: `dm.v_funnel`",
    );
  });

  test("a table that becomes a view loses its rows", () => {
    expect(lossOf(withChange("dm.v_funnel", { engine: "MergeTree" }))).toEqual([
      ":warning: rows of `dm.v_funnel`: `ddl` drops the table and creates a view of its name",
    ]);
  });

  test("`ddl` ignores a queue's settings and a view's comment", () => {
    const { unseen } = schemaImpact(schema, schema, ["stg.geo_queue", "dm.v_funnel"]);
    expect(unseen).toEqual(["stg.geo_queue"]);
  });
});

test("objects are found in the statements that create them", () => {
  const text =
    "-- CREATE TABLE IF NOT EXISTS a.no\nCREATE TABLE IF NOT EXISTS a.b\n(\n);\nCREATE MATERIALIZED VIEW IF NOT EXISTS a.c TO a.b AS\nSELECT 1;\nCREATE VIEW IF NOT EXISTS a.d AS SELECT 1;";
  expect(objectsIn(text)).toEqual(["a.b", "a.c", "a.d"]);
});
