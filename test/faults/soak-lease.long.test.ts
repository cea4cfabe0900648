import { expect, test } from "vitest";
import { openTestEngine } from "../support/engine.ts";
import { requireCommitsInTime } from "../support/soak-lease/commits.ts";
import { soakLease } from "../support/soak-lease/soak.ts";

/** The long form has `SOAK_ROUNDS=200 SOAK_SEED=1`. */
const ROUNDS = Number(process.env.SOAK_ROUNDS ?? 3);

test("runs that are stopped and killed at random leave the rows of an undisturbed run", {
  timeout: 400_000 * ROUNDS,
}, async () => {
  const counts = await soakLease({ seed: process.env.SOAK_SEED ?? "short", rounds: ROUNDS });
  expect(counts.differences).toEqual([]);
  expect(counts.rounds).toBe(ROUNDS);
  // The first round stops a holder until another run has taken over and ended.
  expect(counts.takeOvers).toBeGreaterThan(0);
});

test.each([
  ["ods.load_commit", "load_id"],
  ["dds.load_commit", "lease_id"],
  ["dm_internal.load_commit", "lease_id"],
])("the soak finds a commit in %s that is later than the next lease", async (table, lease) => {
  await using engine = await openTestEngine();
  const { db } = engine;
  const commit = (id: number, at: string) =>
    db.run(
      `INSERT INTO ${table} (${lease}, committed_at) VALUES (${id}, '2026-01-01 00:00:${at}')`,
    );
  for (const id of [101, 102]) {
    // A renewal is not a new lease.
    for (const renewed of ["30", "40"]) {
      await db.run(
        `INSERT INTO stg.lease (id, acquired_at, renewed_at)
         VALUES (${id}, '2026-01-01 00:00:${id - 90}', '2026-01-01 00:00:${renewed}')`,
      );
    }
  }
  await commit(101, "11.500");
  await commit(102, "59");
  await requireCommitsInTime(db);
  await commit(101, "13");
  await expect(requireCommitsInTime(db)).rejects.toThrow(
    /commits after a takeover.*"lease_id":101/,
  );
});
