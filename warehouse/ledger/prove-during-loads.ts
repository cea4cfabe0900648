import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../contract/ports.ts";
import { isLeaseHeld } from "../batch/lease.ts";
import { type DeepResult, proveDeep } from "./deep.ts";
import { EpochChangedError, type SourceFeed } from "./feed.ts";
import type { Ledger } from "./ledger.ts";
import { lagsOf, readProgress } from "./progress.ts";
import { prove } from "./prove.ts";

/** A batch in which nothing has happened for this long has failed, or was never finished. */
const QUIET_MS = 30_000;
const LOOK_EVERY_MS = 1_000;

/** Where the batch process is. */
interface Loads {
  readonly isRunning: boolean;
  readonly isBehind: boolean;
  readonly mark: string;
}

/**
 * The ledger of a database that others load meanwhile: what a batch has half done is neither lost
 * nor doubled. Where a difference is found while one is under way, it is counted again afterwards.
 * @throws UserError as `prove`
 */
export const proveSettled = (db: Database, feed?: SourceFeed, quietMs?: number): Promise<Ledger> =>
  settled(db, () => prove(db, feed), mayBeOfBatch, quietMs);

/** How often a ledger is begun again because the topics were re-created under it. */
const ATTEMPTS = 5;

/**
 * The ledger with a feed, opened again where a new epoch has begun meanwhile.
 * @throws UserError as `prove`
 */
export async function proveWithFeed(
  db: Database,
  openFeed: (isRetry: boolean) => Promise<SourceFeed>,
): Promise<Ledger> {
  for (let attempt = 1; ; attempt += 1) {
    const feed = await openFeed(attempt > 1);
    try {
      return await proveSettled(db, feed);
    } catch (error) {
      if (!(error instanceof EpochChangedError) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The deep check of a database that others load meanwhile. */
export const proveDeepSettled = (db: Database): Promise<DeepResult> =>
  settled(
    db,
    () => proveDeep(db),
    ({ layers, unchecked }) => layers.length + unchecked.length > 0,
  );

/** Checks again, once a batch has ended, what it may have changed during the check. */
async function settled<T>(
  db: Database,
  check: () => Promise<T>,
  mayBeOfBatch: (result: T) => boolean,
  quietMs = QUIET_MS,
): Promise<T> {
  if (db.kind === "embedded") return check();
  for (;;) {
    const before = await look(db);
    const result = await check();
    if (!mayBeOfBatch(result)) return result;
    const now = await look(db);
    if (isSettled(now) && isSettled(before) && now.mark === before.mark) return result;
    if (!(await untilSettled(db, quietMs))) return result;
  }
}

/** What waits for stg or ods is no trace of a batch under way; everything else may be. */
const mayBeOfBatch = ({ unaccounted, waiting, layers }: Ledger): boolean =>
  unaccounted > 0 ||
  waiting.some(({ layer }) => layer === "dds" || layer === "dm") ||
  layers.some(({ isCompared }) => !isCompared);

const isSettled = ({ isRunning, isBehind }: Loads): boolean => !isRunning && !isBehind;

/** False when the batch is not finished and nobody works on it. */
async function untilSettled(db: Database, quietMs: number): Promise<boolean> {
  let latest = "";
  for (let movedAt = Date.now(); Date.now() - movedAt < quietMs; await sleep(LOOK_EVERY_MS)) {
    const now = await look(db);
    if (isSettled(now)) return true;
    if (now.isRunning || now.mark !== latest) movedAt = Date.now();
    latest = now.mark;
  }
  return false;
}

async function look(db: Database): Promise<Loads> {
  const progress = await readProgress(db);
  const isBehind = lagsOf(progress).length > 0;
  return { isRunning: await isLeaseHeld(db), isBehind, mark: progress.mark };
}
