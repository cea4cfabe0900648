import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database, Params } from "../../contract/ports.ts";
import { readPlan } from "../../warehouse/batch/plan.ts";
import { runStep } from "../../warehouse/batch/run-step.ts";
import { checkHistory } from "../../warehouse/history/check.ts";
import { proveDuringLoads } from "../../warehouse/reconciliation/concurrent-loads.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { makeHistory, storeManifest } from "../commands/history/generate.ts";
import { clearAll, keepAll } from "../support/engine.ts";
import { generateMessages } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { replaceMethods } from "../support/replace-methods.ts";
import { openTestServer, type TestServer } from "../support/server.ts";

const QUIET_MS = 2_000;
const plan = readPlan();
const GATE = plan.steps.findIndex(({ id }) => id === "check_dds_integrity");

let server: TestServer;
let restore: () => Promise<void>;
beforeAll(async () => {
  server = await openTestServer();
  const { messages } = await generateMessages("settled", 5);
  // Some messages of every stream come later.
  const { late = [], first = [] } = Object.groupBy(messages, (_, index) =>
    index % 10 === 0 ? "late" : "first",
  );
  await publish(server.db, first);
  await load(server.db, "full");
  await publish(server.db, late);
  restore = await keepAll(server.db);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => restore());

/** Runs the plan's steps one after another, with pauses as between a scheduler's tasks. */
async function run(from: number, to: number): Promise<void> {
  for (const step of plan.steps.slice(from, to)) {
    await runStep(server.db, plan, step, { fullRefresh: false, waitSeconds: 1 });
    await sleep(300);
  }
}

test("waits for a running batch: rows that dds has and dm lacks are not lost", async () => {
  await run(0, GATE);
  expect((await prove(server.db)).verdict).toBe("incomplete");
  const [reconciliation] = await Promise.all([
    proveDuringLoads(server.db, undefined, 60_000),
    run(GATE, plan.steps.length),
  ]);
  expect(reconciliation.verdict).toBe("accounted");
});

test("history-check waits for a running batch, too", async () => {
  const { backfill, manifest } = await makeHistory();
  // The digests depend on the order within a stream.
  const streams = [...Map.groupBy(backfill, ({ stream }) => stream).values()];
  const cut = (rows: readonly unknown[]) => Math.floor(rows.length * 0.9);
  await clearAll(server.db);
  await publish(
    server.db,
    streams.flatMap((rows) => rows.slice(0, cut(rows))),
  );
  await storeManifest(server.db, manifest);
  await load(server.db, "full");
  await publish(
    server.db,
    streams.flatMap((rows) => rows.slice(cut(rows))),
  );
  await run(0, GATE);
  const { promise: hasReachedLayers, resolve } = Promise.withResolvers<void>();
  const onResult = ({ id }: { id: string }) => id === "digest of geo" && resolve();
  const [results] = await Promise.all([
    checkHistory(server.db, { liveHandover: false, env: {}, onResult }),
    // By then the layers have been compared once.
    hasReachedLayers.then(() => sleep(3_000)).then(() => run(GATE, plan.steps.length)),
  ]);
  expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
});

test("reports a batch that does not end after a while", async () => {
  await run(0, GATE);
  const started = performance.now();
  const reconciliation = await proveDuringLoads(server.db, undefined, QUIET_MS);
  expect(reconciliation.verdict).toBe("incomplete");
  expect(performance.now() - started).toBeGreaterThan(QUIET_MS);
});

test("reports a loss at once if no batch runs", async () => {
  await run(0, plan.steps.length);
  await server.db.run("DELETE FROM ods.location_event WHERE _offset = 3");
  // This is longer than the test's time limit, so a reconciliation that waits fails the test.
  const reconciliation = await proveDuringLoads(server.db, undefined, 600_000);
  expect(reconciliation.lost).toMatchObject([{ stream: "location", offset: 3 }]);
});

test("does not wait for a run that was killed long ago", async () => {
  await run(0, GATE);
  await server.db.run("CREATE DATABASE eventpipeline_lease_999");
  await server.db.run(
    "INSERT INTO stg.lease SELECT 999, 'load_dm_events', 'dead', now64(6) - 60, now64(6) - 60",
  );
  const reconciliation = await proveDuringLoads(server.db, undefined, QUIET_MS);
  await server.db.run("DROP DATABASE eventpipeline_lease_999");
  expect(reconciliation.verdict).toBe("incomplete");
});

describe("a load that reaches dds during the count", () => {
  let rest: Promise<void> = Promise.resolve();
  /**
   * Loads up to dds between the wait and the sums of the layers, then the rest beside the reconciliation.
   */
  const withLoadMeanwhile = (): Database => {
    let isLoaded = false;
    return replaceMethods(server.db, {
      rows: async <T>(sql: string, params?: Params): Promise<T[]> => {
        if (sql.includes("must agree") && !isLoaded) {
          isLoaded = true;
          await run(0, GATE);
          rest = Promise.resolve().then(() => run(GATE, plan.steps.length));
        }
        return server.db.rows<T>(sql, params);
      },
    });
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
