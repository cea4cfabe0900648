import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { publishedTables, readPlan } from "../../warehouse/batch/plan.ts";
import { type Published, sourcesOf } from "../../warehouse/batch/publish.ts";
import { requireWholeRows } from "../../warehouse/batch/require-whole-rows.ts";
import type { StepResult } from "../../warehouse/batch/run-step.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  uuid,
} from "../support/messages.ts";
import { digestsOf, publish } from "../support/pipeline.ts";
import { beforeStatements } from "../support/replace-methods.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
/** Brings back the sessions with their load. */
let restoreLoaded: () => Promise<void>;
beforeAll(async () => {
  await publish(engine.db, SESSIONS.flat());
  await loadNew();
  restoreLoaded = await keepAll(engine.db);
});
beforeEach(() => clearAll(engine.db));

/** Loads what is new; returns how it published each table. */
async function loadNew(): Promise<StepResult["published"]> {
  const results = await transform(engine.db, { fullRefresh: false, waitSeconds: 1 });
  return Object.assign({}, ...results.map(({ published }) => published));
}

/** Every table: those without rows of their own are always published as a whole. */
const every = (how: Published): StepResult["published"] =>
  Object.fromEntries(
    publishedTables(readPlan()).map(({ publish, rows }) => [publish, rows ? how : "whole table"]),
  );

/** All messages of a session with its own event; two sessions have one visitor. */
const sessionOf = (n: number) => [
  browserMessage({ event_id: uuid(n), click_id: uuid(100 + n) }),
  locationMessage({ event_id: uuid(n) }),
  deviceMessage({ click_id: uuid(100 + n), user_custom_id: `visitor ${Math.ceil(n / 2)}` }),
  geoMessage({ click_id: uuid(100 + n) }),
];

const SESSIONS = Array.from({ length: 20 }, (_, n) => sessionOf(n + 1));

test("few changed ids replace their rows, many the whole table, and none nothing", async () => {
  await publish(engine.db, SESSIONS.flat());
  expect(await loadNew()).toEqual(every("whole table"));
  await publish(engine.db, sessionOf(1));
  expect(await loadNew()).toEqual(every("changed rows"));
  await publish(engine.db, SESSIONS.slice(0, 10).flat());
  expect(await loadNew()).toEqual(every("whole table"));
  expect(await loadNew()).toEqual({});
});

test("another definition computes the table as a whole", async () => {
  await restoreLoaded();
  const expected = await digestsOf(engine.db);
  await engine.db.run(
    "ALTER TABLE dm_internal.load_commit UPDATE definition = 'other' WHERE target = 'event_enriched'",
  );
  await engine.db.run("TRUNCATE TABLE dm.event_enriched");
  expect(await loadNew()).toEqual({ ...every("nothing"), "dm.event_enriched": "whole table" });
  expect(await digestsOf(engine.db)).toEqual(expected);
});

test("another function computes every mart as a whole", async () => {
  await restoreLoaded();
  onTestFinished(() => applyDdl(engine.db, "all").then(() => undefined));
  await engine.db.run("CREATE OR REPLACE FUNCTION dm_is_shop AS campaign -> campaign = 'shop'");
  const dds = { "dds.event": "nothing", "dds.click": "nothing" };
  expect(await loadNew()).toEqual({ ...every("whole table"), ...dds });
});

test("slices give the same tables, in a load of everything and of changed rows", async () => {
  const plan = readPlan();
  /** Loads the sessions, the last ones by themselves; returns the statements of the second load by table. */
  const loadTwice = async (rowsPerSlice: number): Promise<Record<string, string[]>> => {
    const params = { ...plan.params, rows_per_slice: rowsPerSlice };
    const options = { fullRefresh: false, waitSeconds: 1, plan: { ...plan, params } };
    const verbs: Record<string, string[]> = {};
    const recording = beforeStatements(engine.db, async (sql) => {
      const [, table = "", verb = ""] =
        /^(?:INSERT INTO|CREATE TABLE) dm_internal\.next_(\w+) (CLONE)?/.exec(sql) ?? [];
      verbs[table] = [...(verbs[table] ?? []), verb];
    });
    await clearAll(engine.db);
    await publish(engine.db, SESSIONS.slice(0, -3).flat());
    await transform(engine.db, options);
    await publish(engine.db, SESSIONS.slice(-3).flat());
    await transform(recording, options);
    return verbs;
  };
  await loadTwice(1_000_000);
  const expected = await digestsOf(engine.db);
  const { event_enriched = [], page_view = [] } = await loadTwice(1);
  expect(await digestsOf(engine.db)).toEqual(expected);
  for (const [verb, ...inserts] of [event_enriched, page_view]) {
    expect(verb).toBe("CLONE");
    expect(inserts.length).toBeGreaterThan(1);
  }
});

test("marts are published side by side, but after those that they read", async () => {
  await publish(engine.db, SESSIONS.flat());
  const tables: string[] = [];
  const onStatement = (table: string) => tables.push(table);
  await transform(engine.db, { fullRefresh: true, waitSeconds: 1, onStatement });
  const [events, pages] = ["dm.event_enriched", "dm.page_view"].map((one) =>
    tables.lastIndexOf(one),
  );
  expect(tables.indexOf("dm.session")).toBeLessThan(events ?? 0);
  expect(tables.indexOf("dm.visitor")).toBeGreaterThan(pages ?? 0);
});

const VISITORS = {
  publish: "dm.visitor",
  rows: "visitor",
  from: { "dm.session": "visitor" },
} as const;

test.each([
  [{ ...VISITORS, from: {} }, "dm.visitor reads dm.session, which `from` does not name"],
  [
    { ...VISITORS, rows: "session" },
    "dm.visitor replaces rows by click_id, so it cannot read dm.session by user_custom_id",
  ],
] as const)("rows that a load would lose or double are refused: %#", async (published, error) => {
  await expect(requireWholeRows(engine.db, [published])).rejects.toThrow(error);
});

test("a table that does not exist is named", async () => {
  const published = { ...VISITORS, from: { "dm.none": "visitor" } } as const;
  await expect(sourcesOf(engine.db, published)).rejects.toThrow("dm.visitor: no table dm.none");
});

test.each([
  ["dm.yearly", "toYear(started_at)"],
  ["dm.of_the_site", "toStartOfMonth(date)"],
])("a partition that is not a month in UTC is refused: %s", async (table, key) => {
  await engine.db.run(
    `CREATE TABLE ${table} ENGINE = MergeTree PARTITION BY ${key} ORDER BY click_id AS SELECT *, toDate(started_at) AS date FROM dm.session`,
  );
  onTestFinished(() => engine.db.run(`DROP TABLE ${table}`));
  await expect(
    requireWholeRows(engine.db, [{ ...VISITORS, from: { ...VISITORS.from, [table]: "visitor" } }]),
  ).rejects.toThrow(
    `${table} has PARTITION BY ${key}; allowed: nothing, or toStartOfMonth(COLUMN) of a DateTime64 in UTC`,
  );
});

test("another list of names computes the marts as a whole", async () => {
  await restoreLoaded();
  const [view] = await engine.db.rows<{ ddl: string }>(
    "SELECT create_table_query AS ddl FROM system.tables WHERE name = 'referring_site'",
  );
  const replace = (ddl = "") => engine.db.run(ddl.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"));
  onTestFinished(() => replace(view?.ddl));
  await replace(view?.ddl.replace("'google'", "'goggle'"));
  const { "dds.event": event, "dm.session": session } = (await loadNew()) ?? {};
  expect({ event, session }).toEqual({ event: "nothing", session: "whole table" });
});

test("another site computes the marts as a whole", async () => {
  await restoreLoaded();
  await engine.db.run(
    `INSERT INTO stg.site (epoch, settings) SELECT max(epoch), '{"timezone":"Europe/Berlin"}' FROM stg.epoch`,
  );
  onTestFinished(() => engine.db.run("TRUNCATE TABLE stg.site"));
  const { "dds.event": event, "dm.session": session } = (await loadNew()) ?? {};
  expect({ event, session }).toEqual({ event: "nothing", session: "whole table" });
});
