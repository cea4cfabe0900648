import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readPlan } from "../../pipeline/batch/plan.ts";
import { runStep } from "../../pipeline/batch/run-step.ts";
import { prove } from "../../pipeline/ledger/prove.ts";
import { proveSettled } from "../../pipeline/ledger/settled.ts";
import { clearAll, openTestEngine, type TestEngine } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { asServer } from "../support/server-view.ts";

const QUIET_MS = 2_000;
const plan = readPlan();
const GATE = plan.steps.findIndex(({ id }) => id === "check_dds_integrity");

let engine: TestEngine;
let messages: Message[];
beforeAll(async () => {
  engine = await openTestEngine();
  ({ messages } = await generateMessages("settled", 5));
});
afterAll(() => engine[Symbol.asyncDispose]());
beforeEach(async () => {
  await clearAll(engine.db);
  // Some of every stream come later.
  await publish(
    engine.db,
    messages.filter((_, index) => index % 10 !== 0),
  );
  await load(engine.db, "full");
  await publish(
    engine.db,
    messages.filter((_, index) => index % 10 === 0),
  );
});

/** Steps of the plan one after another, with the pauses a scheduler makes between them. */
async function run(from: number, to: number): Promise<void> {
  for (const step of plan.steps.slice(from, to)) {
    await runStep(engine.db, plan, step, { fullRefresh: false, waitSeconds: 1 });
    await sleep(300);
  }
}

test("a batch under way is waited for: what dds has and dm lacks is not lost", async () => {
  await run(0, GATE);
  expect((await prove(engine.db)).unaccounted).toBeGreaterThan(0);
  const [ledger] = await Promise.all([
    // The embedded engine's steps hold no lock that would show them at work.
    proveSettled(asServer(engine.db), undefined, 60_000),
    run(GATE, plan.steps.length),
  ]);
  expect(ledger.unaccounted).toBe(0);
});

test("a batch that nobody finishes is told of, after a while", async () => {
  await run(0, GATE);
  const started = performance.now();
  const ledger = await proveSettled(asServer(engine.db), undefined, QUIET_MS);
  expect(ledger.unaccounted).toBeGreaterThan(0);
  expect(performance.now() - started).toBeGreaterThan(QUIET_MS);
});

test("a loss is told of at once where no batch runs", async () => {
  await run(0, plan.steps.length);
  await engine.db.run("DELETE FROM ods.location_event WHERE _offset = 3");
  const started = performance.now();
  const ledger = await proveSettled(asServer(engine.db), undefined, 60_000);
  expect(ledger.lost).toMatchObject([{ stream: "location", offset: 3 }]);
  expect(performance.now() - started).toBeLessThan(30_000);
});
