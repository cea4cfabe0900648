import { hostname } from "node:os";
import { setTimeout as sleep, setInterval as ticks } from "node:timers/promises";
import { DatabaseError, DatabaseUnavailable, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { hintToRun } from "../database/command.ts";
import {
  drop,
  type Election,
  elect,
  type Holder,
  LEFTOVERS,
  readHolder,
  withdraw,
} from "./election.ts";

export interface LeaseOptions {
  /** Longest wait for another holder, ms; default ten minutes. */
  readonly waitMs?: number;
  /** Silence after which a holder counts as dead, ms; default 15 s. */
  readonly lifetimeMs?: number;
  /** Receives warnings; default writes to stderr. */
  readonly onWarning?: (line: string) => void;
}

const WAIT = 10 * 60_000;
const LIFETIME = 15_000;
const RENEWALS_PER_LIFETIME = 5;
const POLL_MS = 500;
/** Longer than the server takes to list an accepted statement in system.processes. */
const GRACE_MS = 500;
const RETRY_LATER = "wait until it has ended, then retry";

/** Step of a restore. */
export const RESTORE = "restore";
/** Database that exists while a restore moves readers and exchanges tables; its comment names the snapshot. */
export const RESTORING = "eventpipeline_restore";

export interface Lease {
  readonly id: number;
  /** Client of the lease's own database; throws LeaseLost once another run has taken over. */
  readonly db: Database;
  /** Records that a step begins, so that a step without a commit is found. */
  readonly begin: (step: string) => Promise<void>;
}

/**
 * Runs `work` in a database of the lease, which a run that takes over drops.
 * @throws UserError when another run holds the lease for longer than `waitMs`, LeaseLost
 */
export async function withLease<T>(
  db: Database,
  step: string,
  work: (lease: Lease) => Promise<T>,
  { waitMs = WAIT, lifetimeMs = LIFETIME, onWarning = warn }: LeaseOptions = {},
): Promise<T> {
  const owner = `${step} on ${hostname()}, process ${process.pid}`;
  const run = { step, owner, lifetimeMs, onWarning, deadline: performance.now() + waitMs };
  let hasBegun = false;
  const begin = (lease: Lease): Promise<T> => {
    hasBegun = true;
    return work(lease);
  };
  for (;;) {
    try {
      return await hold(db, run, begin);
    } catch (error) {
      // A run that lost its lease before its work began has written nothing.
      const mayRetry = error instanceof LeaseLost && !hasBegun && performance.now() < run.deadline;
      if (!mayRetry) throw error;
    }
  }
}

const warn = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

interface Run {
  readonly step: string;
  readonly owner: string;
  readonly lifetimeMs: number;
  /** Time of `performance.now()` at which waiting ends. */
  readonly deadline: number;
  readonly onWarning: (line: string) => void;
}

async function hold<T>(db: Database, run: Run, work: (lease: Lease) => Promise<T>): Promise<T> {
  const { step, owner } = run;
  const elected = await acquire(db, run);
  const client = db.inDatabase(elected.fence);
  const { id } = elected;
  const held = withLeaseErrors(client, elected.fence, step);
  const begin = (step: string): Promise<void> => held.run(RECORD, { id, step, owner });
  const lease = { id, db: held, begin };
  const stop = new AbortController();
  try {
    await begin(step);
    const renewals = renew(lease, run, stop.signal);
    try {
      for (const database of elected.others) await db.run(drop(database));
      if (elected.isTakeover) await sleep(GRACE_MS);
      if (elected.isTakeover || elected.leftover !== "") {
        await waitForLeftovers(lease.db, elected, run.deadline);
      }
      if (step !== RESTORE) await refuseHalfRestored(lease.db, step);
      return await work(lease);
    } finally {
      stop.abort();
      await renewals;
    }
  } finally {
    await client.close();
    // Without a reachable server, the lease expires.
    await withdraw(db, elected).catch(() => undefined);
  }
}

/** @throws UserError if a restore was killed while it moved readers or exchanged tables */
export async function refuseHalfRestored(db: Database, what: string): Promise<void> {
  const [restore] = await db.rows<{ snapshot: string }>(
    `SELECT comment AS snapshot FROM system.databases WHERE name = '${RESTORING}'`,
  );
  if (!restore) return;
  const { snapshot } = restore;
  throw new UserError(
    `${what} needs whole tables, and the restore of ${snapshot} has not ended`,
    hintToRun(db, `${RESTORE} ${snapshot}`, `make ${RESTORE} NAME=${snapshot}`),
  );
}

export const isLeaseHeld = async (db: Database): Promise<boolean> =>
  isAlive(await readHolder(db), LIFETIME);

const isAlive = ({ id, silent_ms }: Holder, lifetimeMs: number): boolean =>
  id > 0 && silent_ms <= lifetimeMs;

const RECORD = `
  INSERT INTO stg.lease
  SELECT {id:UInt64}, {step:String}, {owner:String}, now64(6), now64(6)`;

async function acquire(db: Database, { step, deadline, lifetimeMs }: Run): Promise<Election> {
  for (;;) {
    const holder = await readHolder(db);
    const isFree = !isAlive(holder, lifetimeMs);
    const elected = isFree ? await elect(db, holder) : undefined;
    if (elected) return elected;
    if (performance.now() > deadline) {
      const who = holder.owner || "a run that is starting";
      throw new UserError(`${step} cannot write the database: ${who} holds the lease`, RETRY_LATER);
    }
    await sleep(isFree ? Math.random() * POLL_MS : POLL_MS);
  }
}

async function renew(
  lease: Lease,
  { step, lifetimeMs, onWarning }: Run,
  signal: AbortSignal,
): Promise<void> {
  let hasWarned = false;
  try {
    for await (const _ of ticks(lifetimeMs / RENEWALS_PER_LIFETIME, undefined, { signal })) {
      const failure = await lease.db.run(RENEW, { id: lease.id }).then(
        () => undefined,
        (error: Error) => error,
      );
      if (failure instanceof LeaseLost || signal.aborted) return;
      if (!failure || hasWarned) continue;
      hasWarned = true;
      onWarning(
        `warning: ${step} could not renew its lease: ${failure.message} Another run may take over ${lifetimeMs / 1000} s after the last renewal.`,
      );
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const RENEW = `
  INSERT INTO stg.lease
  SELECT id, step, owner, acquired_at, now64(6) FROM stg.lease WHERE id = {id:UInt64} LIMIT 1`;

async function waitForLeftovers(db: Database, { fence }: Election, deadline: number) {
  for (;;) {
    const [leftover] = await db.rows<{ query_id: string }>(LEFTOVERS, { fence });
    if (!leftover) return;
    if (performance.now() > deadline) {
      const { query_id } = leftover;
      throw new UserError(
        `The statement ${query_id} of an earlier run is still running`,
        `wait until it has ended, or run KILL QUERY WHERE query_id = '${query_id}', then retry`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Error of a run whose statement was refused or interrupted; no further statement ran. */
export class LeaseLost extends UserError {}

const UNKNOWN_DATABASE = 81;
const THROW_IF = 395;
const NEWER_LEASE = "a newer lease is recorded";

export function withLeaseErrors(db: Database, name: string, step: string): Database {
  const isRefusal = (error: unknown): boolean =>
    error instanceof DatabaseError &&
    ((error.code === UNKNOWN_DATABASE && error.message.includes(name)) ||
      (error.code === THROW_IF && error.message.includes(NEWER_LEASE)));
  const explain = async (error: unknown): Promise<never> => {
    // A paused process finds its connection closed, so a second query checks the lease.
    const isCut = error instanceof DatabaseUnavailable && (await isRefused(db, isRefusal));
    if (!isCut && !isRefusal(error)) throw error;
    throw new LeaseLost(
      `${step} lost its lease to another run: ${isCut ? CUT : REFUSED}. ${REPAIRED}`,
      "wait until the other run has ended, then retry",
    );
  };
  return {
    label: db.label,
    ...(db.directory === undefined ? {} : { directory: db.directory }),
    inDatabase: (database) => db.inDatabase(database),
    rows: (...query) => db.rows<never>(...query).catch(explain),
    run: (...statement) => db.run(...statement).catch(explain),
    insertTsv: (...insert) => db.insertTsv(...insert).catch(explain),
    close: () => db.close(),
  };
}

const REFUSED = "the server refused its statement";
const CUT = "its connection broke during a statement, which may have changed rows";
const REPAIRED = "The other run, or the next one, repairs the rows of the interrupted load.";

const isRefused = (db: Database, isRefusal: (error: unknown) => boolean): Promise<boolean> =>
  db.rows("SELECT 1").then(() => false, isRefusal);
