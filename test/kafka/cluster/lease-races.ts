import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../../contract/ports.ts";
import { type Lease, withLease } from "../../../warehouse/batch/lease.ts";
import { LeaseLost } from "../../../warehouse/batch/lost-lease.ts";
import { waitFor } from "../harness.ts";

/** Runs that compete through two replicas work one after another, with increasing numbers. */
export async function raceForLease(one: Database, two: Database): Promise<void> {
  const ids: number[] = [];
  let working = 0;
  const work = async ({ id }: Lease) => {
    working += 1;
    assert.equal(working, 1, "two runs work at the same time");
    await sleep(50);
    working -= 1;
    ids.push(id);
  };
  const runs = [one, two, one, two, one, two];
  await Promise.all(runs.map((db, run) => withLease(db, `run_${run}`, work)));
  assert.equal(new Set(ids).size, runs.length);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
}

/** A takeover through one replica waits for a statement on the other, and ends further ones. */
export async function takeOver(one: Database, two: Database): Promise<void> {
  const begun = Promise.withResolvers<Lease>();
  const resumed = Promise.withResolvers<void>();
  const work = async (lease: Lease) => {
    begun.resolve(lease);
    await resumed.promise;
    await lease.db.run("SELECT 1");
  };
  // Renews too seldom, as a process that is stopped.
  const holder = withLease(one, "paused", work, { lifetimeMs: 3_600_000 });
  holder.catch(begun.reject);
  const { id, db: held } = await begun.promise;
  let hasEnded = false;
  const running = held.run(SLOW).finally(() => {
    hasEnded = true;
  });
  const isListed = async () => (await one.rows(RUNNING)).length > 0;
  await waitFor("the holder's statement runs", isListed);
  const successor = async (lease: Lease) => {
    assert.ok(hasEnded, "the successor began before the holder's statement ended");
    return lease.id;
  };
  const next = await withLease(two, "successor", successor, { lifetimeMs: 1 });
  assert.ok(next > id);
  await running;
  resumed.resolve();
  await assert.rejects(holder, LeaseLost);
}

const SLOW = "SELECT sleepEachRow(1) FROM numbers(10) SETTINGS max_block_size = 1";
const RUNNING = `SELECT query_id FROM system.processes WHERE startsWith(query, '${SLOW}')`;
