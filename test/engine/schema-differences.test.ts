import { expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import type { Tier } from "../../warehouse/ddl-files.ts";
import { applyDdl, ensureSchema } from "../../warehouse/schema/ddl.ts";
import { findDifferences } from "../../warehouse/schema/differences.ts";
import { useTestEngine } from "../support/use-engine.ts";

const differences = async (db: Database, tier: Tier = "all"): Promise<string[]> =>
  (await findDifferences(db, tier)).map(({ object, what }) => `${object}: ${what}`);

interface Change {
  readonly object: string;
  readonly replace: readonly [found: string | RegExp, by: string];
  readonly what: string;
}

/** Definitions with one change each, and the difference that `ddl --verify` reports. */
const CHANGES: Readonly<Record<string, Change>> = {
  "an engine without its version column": {
    object: "stg.lease",
    replace: ["(renewed_at)", ""],
    what: "engine ReplacingMergeTree instead of ReplacingMergeTree(renewed_at)",
  },
  "an engine with a version column that is not declared": {
    object: "stg.manifest",
    replace: [" ORDER BY", "(stored_at) ORDER BY"],
    what: "engine ReplacingMergeTree(stored_at) instead of ReplacingMergeTree",
  },
  "another engine": {
    object: "dm_internal.changed_month",
    replace: ["MergeTree", "SummingMergeTree"],
    what: "engine SummingMergeTree instead of MergeTree",
  },
  "a materialized view into another table": {
    object: "ods.geo_event_errors_mv",
    replace: [" TO ods.geo_event_errors ", " TO ods.device_event_errors "],
    what: "writes to ods.device_event_errors instead of ods.geo_event_errors",
  },
  "columns in another order": {
    object: "dm_internal.load_commit",
    replace: [/(`target` .*?), (`load_id` .*?), (?=`lease_id`)/, "$2, $1, "],
    what: "columns in another order: load_id in the place of target",
  },
  "a query of which only parentheses differ": {
    object: "dm.v_retention",
    replace: ["toUInt64(last_day - cohort) + 1", "toUInt64((last_day - cohort) + 1)"],
    what: "another query",
  },
  "a size of granules that is not the declared one": {
    object: "dm.session",
    replace: ["index_granularity = 1024", "index_granularity = 8192"],
    what: "no setting index_granularity = 1024",
  },
};

const engine = useTestEngine();

test("a schema that ddl just made has no differences", async () => {
  expect(await differences(engine.db)).toEqual([]);
});

test.each(Object.entries(CHANGES))("%s is found", (_, change) =>
  expectDifference(engine.db, change),
);

test("ddl refuses to drop a column that no load can compute again", async () => {
  const { db } = engine;
  await db.run("ALTER TABLE dm.dq_summary_log ADD COLUMN note String");
  await expect(applyDdl(db, "all")).rejects.toThrow("dm.dq_summary_log");
  await db.run("ALTER TABLE dm.dq_summary_log DROP COLUMN note");
  await db.run("ALTER TABLE dm.dq_summary ADD COLUMN note String");
  await applyDdl(db, "all");
  expect(await differences(db)).toEqual([]);
});

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

test("a workspace gets a function that is missing, and one of another definition", async () => {
  const { db } = engine;
  await db.run("DROP FUNCTION dm_stage");
  expect(await differences(db)).toEqual(["dm_stage: missing"]);
  await ensureSchema(db);
  await db.run("CREATE OR REPLACE FUNCTION dm_is_shop AS campaign -> campaign = 'shop'");
  expect(await differences(db)).toEqual(["dm_is_shop: another query"]);
  await ensureSchema(db);
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

/** Checks what is reported of an object while its definition is another one. */
async function expectDifference(db: Database, change: Change): Promise<void> {
  const { object, what } = change;
  const present = await definitionOf(db, object);
  const changed = present.replace(...change.replace);
  expect(changed).not.toBe(present);
  await replaceObject(db, object, changed);
  expect(await differences(db)).toEqual([`${object}: ${what}`]);
  await replaceObject(db, object, present);
  expect(await differences(db)).toEqual([]);
}

async function replaceObject(db: Database, object: string, definition: string): Promise<void> {
  await db.run(`DROP TABLE ${object}`);
  await db.run(definition);
}

async function definitionOf(db: Database, object: string): Promise<string> {
  const [found] = await db.rows<{ text: string }>(
    "SELECT create_table_query AS text FROM system.tables WHERE concat(database, '.', name) = {object:String}",
    { object },
  );
  return found?.text ?? "";
}
