import { hostname } from "node:os";
import { setTimeout as sleep, setInterval as ticks } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import {
  type Elected,
  elect,
  type Holder,
  PREFIX,
  readHolder,
  retireOthers,
  withdraw,
} from "./election.ts";
import { LeaseLost, refusingWhenLost } from "./lease-lost.ts";

export interface LeaseOptions {
  /** How long to wait for another run, milliseconds. Default: ten minutes. */
  readonly waitMs?: number;
  /** A holder that has not renewed its lease for this long is dead, milliseconds. Default: 15 s. */
  readonly lifetimeMs?: number;
}

const WAIT = 10 * 60_000;
const LIFETIME = 15_000;
const RENEWALS_PER_LIFETIME = 5;
const POLL_MS = 500;
/** Longer than the server needs from accepting a statement to listing it among the running ones. */
const GRACE_MS = 500;
const RUN_AGAIN = "wait until it has ended, then run the step again";

/** The right to write the layers. */
export interface Lease {
  /** Its number: greater than that of every earlier lease of this database. */
  readonly id: number;
  /** Runs statements as the holder. It throws LeaseLost once another run has taken over. */
  readonly db: Database;
}

/**
 * Runs `work` while no other process writes the layers of the same database.
 *
 * The holder's statements run in a database of its own, which a run that takes over drops. So the
 * server refuses every further statement of a holder that was taken for dead, before it has any effect.
 * @throws UserError when another run holds the lease for longer than `waitMs`
 * @throws LeaseLost when another run takes over meanwhile
 */
export async function withLease<T>(
  db: Database,
  step: string,
  work: (lease: Lease) => Promise<T>,
  { waitMs = WAIT, lifetimeMs = LIFETIME }: LeaseOptions = {},
): Promise<T> {
  const owner = `${step} on ${hostname()}, process ${process.pid}`;
  if (!db.inDatabase) return work({ id: await nextNumber(db, step, owner), db });
  const deadline = performance.now() + waitMs;
  const elected = await acquire(db, step, { deadline, lifetimeMs });
  const client = db.inDatabase(elected.fence);
  const lease = { id: elected.id, db: refusingWhenLost(client, elected.fence, step) };
  const stop = new AbortController();
  try {
    await lease.db.run(RECORD, { id: lease.id, step, owner });
    const renewals = renew(lease, lifetimeMs / RENEWALS_PER_LIFETIME, stop.signal);
    if (await retireOthers(db, elected)) await sleep(GRACE_MS);
    await waitForLeftovers(db, elected, deadline);
    const result = await work(lease);
    stop.abort();
    await renewals;
    return result;
  } finally {
    stop.abort();
    await client.close();
    // Where the server is away, the lease ends by its age.
    await withdraw(db, elected).catch(() => undefined);
  }
}

/** Whether a run that is alive holds the lease, or is about to. */
export const isLeaseHeld = async (db: Database): Promise<boolean> =>
  isAlive(await readHolder(db), LIFETIME);

const isAlive = ({ id, silent_ms }: Holder, lifetimeMs: number): boolean =>
  id > 0 && silent_ms <= lifetimeMs;

const RECORD = `
  INSERT INTO stg.lease
  SELECT {id:UInt64}, {step:String}, {owner:String}, now64(6), now64(6)`;

/** Only one process reaches an embedded engine: it needs a number and no protection. */
async function nextNumber(db: Database, step: string, owner: string): Promise<number> {
  const [row] = await db.rows<{ id: number }>("SELECT max(id) + 1 AS id FROM stg.lease");
  const id = row?.id ?? 1;
  await db.run(RECORD, { id, step, owner });
  return id;
}

interface Limits {
  /** Time of `performance.now()` at which waiting ends. */
  readonly deadline: number;
  readonly lifetimeMs: number;
}

async function acquire(db: Database, step: string, limits: Limits): Promise<Elected> {
  for (;;) {
    const holder = await readHolder(db);
    const isFree = !isAlive(holder, limits.lifetimeMs);
    const elected = isFree ? await elect(db, holder) : undefined;
    if (elected) return elected;
    if (performance.now() > limits.deadline) {
      const who = holder.owner || "a run that is about to begin";
      throw new UserError(`${step} waits for the database, which ${who} holds.`, RUN_AGAIN);
    }
    await sleep(isFree ? Math.random() * POLL_MS : POLL_MS);
  }
}

async function renew(lease: Lease, everyMs: number, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of ticks(everyMs, undefined, { signal })) {
      const isLost = await lease.db.run(RENEW, { id: lease.id }).then(
        () => false,
        (error: unknown) => error instanceof LeaseLost,
      );
      if (isLost) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const RENEW = `
  INSERT INTO stg.lease
  SELECT id, step, owner, acquired_at, now64(6) FROM stg.lease WHERE id = {id:UInt64} LIMIT 1`;

/** A client that was killed leaves its statement running on the server: it must end before we begin. */
async function waitForLeftovers(db: Database, { fence }: Elected, deadline: number) {
  for (;;) {
    const [row] = await db.rows<{ count: number }>(LEFTOVERS, { fence });
    if (!row || row.count === 0) return;
    if (performance.now() > deadline) {
      throw new UserError(
        "A statement that an earlier run left behind is still running.",
        RUN_AGAIN,
      );
    }
    await sleep(POLL_MS);
  }
}

const LEFTOVERS = `
  SELECT count() AS count FROM system.processes
  WHERE startsWith(current_database, '${PREFIX}') AND current_database != {fence:String}`;
