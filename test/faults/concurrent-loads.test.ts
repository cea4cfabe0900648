import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { runStep } from "../../warehouse/batch/run-step.ts";
import { proveDuringLoads } from "../../warehouse/reconciliation/concurrent-loads.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
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
  // Some messages of every stream come later.
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

/** Runs the plan's steps one after another, with pauses as between a scheduler's tasks. */
async function run(from: number, to: number): Promise<void> {
  for (const step of plan.steps.slice(from, to)) {
    await runStep(engine.db, plan, step, { fullRefresh: false, waitSeconds: 1 });
    await sleep(300);
  }
}

test("waits for a running batch: rows that dds has and dm lacks are not lost", async () => {
  await run(0, GATE);
  expect((await prove(engine.db)).verdict).toBe("incomplete");
  const [ledger] = await Promise.all([
    // The embedded engine's steps hold no lock that would show that they are running.
    proveDuringLoads(asServer(engine.db), undefined, 60_000),
    run(GATE, plan.steps.length),
  ]);
  expect(ledger.verdict).toBe("accounted");
});

test("reports a batch that does not end after a while", async () => {
  await run(0, GATE);
  const started = performance.now();
  const ledger = await proveDuringLoads(asServer(engine.db), undefined, QUIET_MS);
  expect(ledger.verdict).toBe("incomplete");
  expect(performance.now() - started).toBeGreaterThan(QUIET_MS);
});

test("reports a loss at once if no batch runs", async () => {
  await run(0, plan.steps.length);
  await engine.db.run("DELETE FROM ods.location_event WHERE _offset = 3");
  // This is longer than the test's time limit, so a ledger that waits fails the test.
  const ledger = await proveDuringLoads(asServer(engine.db), undefined, 600_000);
  expect(ledger.lost).toMatchObject([{ stream: "location", offset: 3 }]);
});

test("does not wait for a run that was killed long ago", async () => {
  await run(0, GATE);
  await engine.db.run("CREATE DATABASE eventpipeline_lease_999");
  await engine.db.run(
    "INSERT INTO stg.lease SELECT 999, 'load_dm_events', 'dead', now64(6) - 60, now64(6) - 60",
  );
  const ledger = await proveDuringLoads(asServer(engine.db), undefined, QUIET_MS);
  await engine.db.run("DROP DATABASE eventpipeline_lease_999");
  expect(ledger.verdict).toBe("incomplete");
});

describe("a load that reaches dds during the count", () => {
  let rest: Promise<void> = Promise.resolve();
  /**
   * Loads up to dds between the wait and the sums of the layers, then the rest beside the ledger.
   */
  const withLoadMeanwhile = (): Database => {
    let isLoaded = false;
    const server = asServer(engine.db);
    return {
      ...server,
      rows: async (sql, params) => {
        if (sql.includes("must agree") && !isLoaded) {
          isLoaded = true;
          await run(0, GATE);
          rest = Promise.resolve().then(() => run(GATE, plan.steps.length));
        }
        return server.rows(sql, params);
      },
    };
  };
  afterEach(() => rest);

  test("looks like a loss in one count", async () => {
    expect((await prove(withLoadMeanwhile())).unaccounted).toBeGreaterThan(0);
  });

  test("is counted again after its end, without a loss", async () => {
    expect((await proveDuringLoads(withLoadMeanwhile(), undefined, 60_000)).verdict).toBe(
      "accounted",
    );
  });
});
