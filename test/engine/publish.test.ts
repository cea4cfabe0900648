import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { sourcesOf } from "../../warehouse/batch/publish.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { clearAll, openTestEngine, type TestEngine } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  uuid,
} from "../support/messages.ts";
import { digestsOf, load, publish } from "../support/pipeline.ts";
import { beforeStatements } from "../support/replace-methods.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());
beforeEach(() => clearAll(engine.db));

type Published = Record<string, "whole" | "changed rows">;

/** Loads what is new; returns how it published each table. */
async function loadNew(): Promise<Published> {
  const published: Published = {};
  const recording = beforeStatements(engine.db, async (sql) => {
    const [, verb, table] = /^(CREATE|ALTER) TABLE dm_internal\.next_(\w+)/.exec(sql) ?? [];
    if (table) published[table] = verb === "ALTER" ? "changed rows" : "whole";
  });
  await load(recording, "incremental");
  return published;
}

/** Tables that every load publishes as a whole. */
const SUMMARIES = { complete_period: "whole", dq_summary: "whole" } satisfies Published;

const every = (how: Published[string]): Published => ({
  event: how,
  click: how,
  event_enriched: how,
  session: how,
  page_view: how,
  visitor: how,
  ...SUMMARIES,
});

/** All messages of a session with its own event and visitor. */
const sessionOf = (n: number) => [
  browserMessage({ event_id: uuid(n), click_id: uuid(100 + n) }),
  locationMessage({ event_id: uuid(n) }),
  deviceMessage({ click_id: uuid(100 + n), user_custom_id: `visitor ${n}` }),
  geoMessage({ click_id: uuid(100 + n) }),
];

const SESSIONS = Array.from({ length: 20 }, (_, n) => sessionOf(n + 1));

test("few changed ids replace their rows, many the whole table, and none nothing", async () => {
  await publish(engine.db, SESSIONS.flat());
  expect(await loadNew()).toEqual(every("whole"));
  await publish(engine.db, sessionOf(1));
  expect(await loadNew()).toEqual(every("changed rows"));
  await publish(engine.db, SESSIONS.slice(0, 10).flat());
  expect(await loadNew()).toEqual(every("whole"));
  expect(await loadNew()).toEqual(SUMMARIES);
});

test("another definition computes the table as a whole", async () => {
  await publish(engine.db, SESSIONS.flat());
  await loadNew();
  const expected = await digestsOf(engine.db);
  await engine.db.run(
    "ALTER TABLE dm_internal.load_commit UPDATE definition = 'other' WHERE target = 'event_enriched'",
  );
  await engine.db.run("TRUNCATE TABLE dm.event_enriched");
  expect(await loadNew()).toEqual({ event_enriched: "whole", ...SUMMARIES });
  expect(await digestsOf(engine.db)).toEqual(expected);
});

test("slices give the same tables, in a load of everything and of changed rows", async () => {
  const plan = readPlan();
  /** Loads the sessions, the last ones by themselves; returns the statements of the second load by table. */
  const loadTwice = async (rowsPerSlice: number): Promise<Record<string, string[]>> => {
    const params = { ...plan.params, rows_per_slice: rowsPerSlice };
    const options = { fullRefresh: false, waitSeconds: 1, plan: { ...plan, params } };
    const verbs: Record<string, string[]> = {};
    const recording = beforeStatements(engine.db, async (sql) => {
      const [, verb = "", table = ""] =
        /^(INSERT INTO|ALTER TABLE) dm_internal\.next_(\w+)/.exec(sql) ?? [];
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
    expect(verb).toBe("ALTER TABLE");
    expect(inserts.length).toBeGreaterThan(1);
  }
});

const VISITORS = {
  publish: "dm.visitor",
  rows: "visitor",
  from: { "dm.session": "visitor" },
} as const;

test.each([
  [{ ...VISITORS, from: {} }, "dm.visitor reads dm.session, which `from` does not name"],
  [
    { ...VISITORS, from: { ...VISITORS.from, "dm.none": "visitor" } },
    "dm.visitor: no table dm.none",
  ],
] as const)("rows that a load would lose or double are refused: %#", async (published, error) => {
  await expect(sourcesOf(engine.db, published)).rejects.toThrow(error);
});

test("a partition that is not a month is refused", async () => {
  await engine.db.run(
    "CREATE TABLE dm.yearly ENGINE = MergeTree PARTITION BY toYear(started_at) ORDER BY click_id AS dm.session",
  );
  await expect(
    sourcesOf(engine.db, { ...VISITORS, from: { ...VISITORS.from, "dm.yearly": "session" } }),
  ).rejects.toThrow(
    "dm.yearly has PARTITION BY toYear(started_at); allowed: nothing, or toStartOfMonth(column)",
  );
  await engine.db.run("DROP TABLE dm.yearly");
});
