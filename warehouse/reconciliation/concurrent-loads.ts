import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../contract/ports.ts";
import { isLeaseHeld } from "../batch/lease.ts";
import { type DeepResult, proveDeep } from "./deep.ts";
import { EpochChangedError, type SourceFeed } from "./feed.ts";
import { lagsOf, readProgress } from "./progress.ts";
import { prove } from "./prove.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** A batch without progress for this long has failed or was abandoned. */
const QUIET_MS = 30_000;
const POLL_MS = 1_000;

interface Loads {
  readonly isRunning: boolean;
  readonly isBehind: boolean;
  readonly mark: string;
}

/** Reconciles, again after a batch that caused a difference. @throws UserError as `prove` */
export const proveDuringLoads = (
  db: Database,
  feed?: SourceFeed,
  quietMs?: number,
): Promise<Reconciliation> =>
  repeatAfterBatch(db, () => prove(db, feed), mayComeFromBatch, quietMs);

const ATTEMPTS = 5;

/** Reconciles with a feed; a new epoch opens the feed again. @throws UserError as `prove` */
export async function proveWithFeed(
  db: Database,
  openFeed: (isRetry: boolean) => Promise<SourceFeed>,
): Promise<Reconciliation> {
  for (let attempt = 1; ; attempt += 1) {
    const feed = await openFeed(attempt > 1);
    try {
      return await proveDuringLoads(db, feed);
    } catch (error) {
      if (!(error instanceof EpochChangedError) || attempt === ATTEMPTS) throw error;
    }
  }
}

export const proveDeepDuringLoads = (db: Database): Promise<DeepResult> =>
  repeatAfterBatch(
    db,
    () => proveDeep(db),
    ({ layers, unchecked }) => layers.length + unchecked.length > 0,
  );

/** Runs a check, again after a batch that may have caused its result. */
export async function repeatAfterBatch<T>(
  db: Database,
  check: () => Promise<T>,
  mayComeFromBatch: (result: T) => boolean,
  quietMs = QUIET_MS,
): Promise<T> {
  for (;;) {
    const before = await readLoads(db);
    const result = await check();
    if (!mayComeFromBatch(result)) return result;
    const now = await readLoads(db);
    if (isIdle(now) && isIdle(before) && now.mark === before.mark) return result;
    if (!(await waitForBatch(db, quietMs))) return result;
  }
}

/** True if a running batch explains the difference. A batch never causes waits for stg or ods. */
const mayComeFromBatch = ({ unaccounted, waiting, layers }: Reconciliation): boolean =>
  unaccounted > 0 ||
  waiting.some(({ layer }) => layer === "dds" || layer === "dm") ||
  layers.some(({ isCompared }) => !isCompared);

const isIdle = ({ isRunning, isBehind }: Loads): boolean => !isRunning && !isBehind;

async function waitForBatch(db: Database, quietMs: number): Promise<boolean> {
  let latest = "";
  for (let movedAt = Date.now(); Date.now() - movedAt < quietMs; await sleep(POLL_MS)) {
    const now = await readLoads(db);
    if (isIdle(now)) return true;
    if (now.isRunning || now.mark !== latest) movedAt = Date.now();
    latest = now.mark;
  }
  return false;
}

async function readLoads(db: Database): Promise<Loads> {
  const progress = await readProgress(db);
  // Nothing but a running command continues a batch of a workspace.
  const isBehind = db.directory === undefined && lagsOf(progress).length > 0;
  return { isRunning: await isLeaseHeld(db), isBehind, mark: progress.mark };
}
