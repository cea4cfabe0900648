import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { withLock } from "../../pipeline/batch/lock.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { asServer } from "../support/server-view.ts";

let engine: TestEngine;
let db: Database;
beforeAll(async () => {
  engine = await openTestEngine();
  db = asServer(engine.db);
});
afterAll(() => engine[Symbol.asyncDispose]());
beforeEach(() => db.run("DROP TABLE IF EXISTS stg.step_lock SYNC"));

test("two runs never work at the same time, and both get their turn", async () => {
  let working = 0;
  let turns = 0;
  const work = async () => {
    working += 1;
    expect(working).toBe(1);
    await sleep(100);
    working -= 1;
    turns += 1;
  };
  await Promise.all([1, 2, 3].map((run) => withLock(db, `run_${run}`, work)));
  expect(turns).toBe(3);
});

test("the lock is released when the work fails", async () => {
  await expect(withLock(db, "bad", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await withLock(db, "good", async () => "done")).toBe("done");
});

test("a lock whose holder died is taken over, one that is renewed is not", async () => {
  const staleMs = 2_000;
  await db.run(
    "CREATE TABLE stg.step_lock (owner String, renewed_at DateTime64(3, 'UTC')) ENGINE = Memory",
  );
  await db.run("INSERT INTO stg.step_lock SELECT 'dead', now64(3) - 60");
  expect(await withLock(db, "heir", async () => "mine", { staleMs })).toBe("mine");

  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const work = () => {
    begun.resolve();
    return over.promise;
  };
  const long = withLock(db, "long", work, { staleMs });
  await begun.promise;
  const early = withLock(db, "early", async () => undefined, { staleMs, waitMs: 2_500 });
  await expect(early)
    .rejects.toThrow(/Another run holds the database: long on /)
    .finally(over.resolve);
  await long;
});

test("an embedded engine needs no lock: nobody else can reach it", async () => {
  await withLock(engine.db, "step", async () => {
    expect(await db.rows("SELECT 1 FROM system.tables WHERE name = 'step_lock'")).toEqual([]);
  });
});
