import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { clearAll, openTestEngine, type TestEngine } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
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

test("a table in several parts equals one", async () => {
  const { messages } = await generateMessages("parts", 4);
  await publish(engine.db, messages);
  await load(engine.db, "full");
  const expected = await digestsOf(engine.db);
  const inserts: string[] = [];
  const recording = beforeStatements(engine.db, async (sql) => {
    const [, table] = /^INSERT INTO dm_internal\.next_(\w+)/.exec(sql) ?? [];
    if (table) inserts.push(table);
  });
  const plan = readPlan();
  const small = { ...plan, params: { ...plan.params, rows_per_slice: 10 } };
  await transform(recording, { fullRefresh: true, waitSeconds: 1, plan: small });
  expect(await digestsOf(engine.db)).toEqual(expected);
  const parts = Object.groupBy(inserts, (table) => table);
  for (const table of Object.keys(every("whole"))) {
    const count = parts[table]?.length ?? 0;
    if (table in SUMMARIES) expect(count, table).toBe(1);
    else expect(count, table).toBeGreaterThan(1);
  }
});
