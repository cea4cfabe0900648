import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import {
  CONSUMER_GROUPS,
  DEFAULT_SIZING,
  EPOCH_TOPIC,
  EVENT_TOPICS,
  type TopicSizing,
  topicSpecs,
} from "../../contract/topics.ts";
import { deleteGroups } from "../../kafka/consumer-groups.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import {
  hasRegistry,
  KEEPER_ID,
  openKeeper,
  registerEpoch,
  startEpoch,
} from "../../kafka/epoch-writer.ts";
import { FencedError } from "../../kafka/errors.ts";
import { fenceProducers } from "../../kafka/fence.ts";
import { createTopics, deleteTopics } from "../../kafka/topics.ts";
import type { TransactionalProducer } from "../../kafka/transaction.ts";
import { clearLayersAsHolder } from "../batch/layers.ts";
import { type Lease, type LeaseOptions, withLease } from "../batch/lease.ts";
import { detachedQueues, pauseConsumption, resumeConsumption } from "../ingest/consumption.ts";
import { closeEpoch } from "../ledger/close-epoch.ts";

const CREATED = "topics created";

export interface TopicsOptions {
  readonly sizing?: TopicSizing;
  /** Where epochs are registered and messages are read; null: no database, or none yet. */
  readonly database: Database | null;
}

export interface EnsuredTopics {
  readonly created: readonly string[];
  readonly altered: readonly string[];
  /** Epoch of the event topics: a new one if any of them had to be created. */
  readonly epoch: number;
}

/**
 * Creates what is missing, puts settings right and reads on where reading was left detached. Safe
 * to repeat. An event topic that is made anew counts its offsets from 0, so it begins an epoch.
 */
export async function ensureTopics(admin: Admin, options: TopicsOptions): Promise<EnsuredTopics> {
  for (let left = OTHERS; ; left--) {
    try {
      return await ensureOnce(admin, options);
    } catch (error) {
      if (left === 0 || !(error instanceof FencedError)) throw error;
      // Of two that try again at the same moment each would stop the other once more.
      await sleep(Math.random() * PAUSE_MS);
    }
  }
}

/** How often others may be at the same work and faster: each time there is less to do. */
const OTHERS = 5;
const PAUSE_MS = 1_000;

async function ensureOnce(
  admin: Admin,
  { database, sizing = DEFAULT_SIZING }: TopicsOptions,
): Promise<EnsuredTopics> {
  const specs = topicSpecs(sizing);
  const present = new Set(await admin.listTopics());
  const control = specs.filter(({ name }) => !EVENT_TOPICS.some((topic) => topic === name));
  const first = await createTopics(admin, control);
  const known = present.has(EPOCH_TOPIC) ? await readEpoch(admin) : null;
  const isWhole = known !== null && EVENT_TOPICS.every((topic) => present.has(topic));
  let epoch = isWhole ? known.epoch : await beginEpoch(admin, database);
  const second = await createTopics(
    admin,
    specs.filter((spec) => !control.includes(spec)),
  );
  // Somebody deleted a topic since it was looked for.
  if (isWhole && second.created.length > 0) epoch = await beginEpoch(admin, database);
  if (database) await registerEpoch(database, epoch, CREATED);
  if (database) await resumeConsumption(database, await detachedQueues(database));
  return {
    created: [...first.created, ...second.created],
    altered: [...first.altered, ...second.altered],
    epoch,
  };
}

async function beginEpoch(admin: Admin, db: Database | null): Promise<number> {
  return turnEpoch(admin, await openKeeper(admin), db, CREATED);
}

/**
 * Starts an epoch while topics are missing, so that no producer can open in it and write into what
 * is about to go. Those that had opened before, and may still carry the former epoch, are fenced
 * after the new one stands: whoever opens later reads it.
 */
async function turnEpoch(
  admin: Admin,
  keeper: TransactionalProducer,
  db: Database | null,
  reason: string,
): Promise<number> {
  const epoch = await startEpoch(admin, keeper, db, reason);
  await fenceProducers(admin, KEEPER_ID);
  return epoch;
}

export interface ResetOptions extends TopicsOptions {
  /** `events`: the four event topics. `all`: also history, state and manifest. Default `events`. */
  readonly scope?: "events" | "all";
  readonly reason?: string;
  /** Whether a generator is publishing now. */
  readonly isLive?: () => Promise<boolean>;
  /** Resets although a generator is live; it is fenced and must restart. */
  readonly force?: boolean;
  /** Empties the layers of the database as well, under the same lease. */
  readonly clearsLayers?: boolean;
  /** Called before the first topic is deleted. */
  readonly onDelete?: () => void;
  readonly lease?: LeaseOptions;
}

/**
 * Deletes and recreates topics under a new epoch. Where the layers are kept, what is committed is stored
 * before. Reading is paused meanwhile: what was read stays stored under the previous epoch, and the new
 * topics are read from their first message because the consumer groups are deleted with their offsets.
 * After an interruption `ensureTopics` re-creates what is missing under a further epoch. The lease of the
 * database is taken before anything is deleted and kept to the end, so no step runs meanwhile.
 * @throws UserError when a generator is live and the reset is not forced, or messages are not stored that
 * kept layers would lack
 */
export async function resetTopics(admin: Admin, options: ResetOptions): Promise<EnsuredTopics> {
  await refuseWhileLive(options);
  const { database } = options;
  if (!database || !(await hasRegistry(database))) return replaceTopics(admin, options, database);
  const { reason = DEFAULT_REASON, lease } = options;
  const isFinal = !(await options.isLive?.());
  const work = async ({ db }: Lease) => {
    // The layers keep what was read: what was sent must be complete in them.
    if (!options.clearsLayers) await closeEpoch(db, admin, { isFinal });
    return replaceTopics(admin, options, db);
  };
  return withLease(database, reason, work, lease);
}

const DEFAULT_REASON = "topics reset";

/** @param database where it registers the epoch and pauses reading, as the holder of the lease */
async function replaceTopics(
  admin: Admin,
  options: ResetOptions,
  database: Database | null,
): Promise<EnsuredTopics> {
  const { sizing = DEFAULT_SIZING, scope = "events", reason = DEFAULT_REASON } = options;
  const specs = topicSpecs(sizing);
  await createTopics(
    admin,
    specs.filter(({ name }) => name === EPOCH_TOPIC),
  );
  const keeper = await openKeeper(admin);
  const paused = database ? await pauseConsumption(database, admin) : [];
  const readers = database ? [...paused, ...(await detachedQueues(database))] : [];
  try {
    await deleteGroups(admin, CONSUMER_GROUPS);
    const doomed = specs.filter(({ name }) => isInScope(name, scope)).map(({ name }) => name);
    options.onDelete?.();
    await deleteTopics(admin, doomed);
    const epoch = await turnEpoch(admin, keeper, database, reason);
    const { created, altered } = await createTopics(admin, specs);
    // After the deletion, so that nothing of an earlier epoch is still on its way.
    if (database && options.clearsLayers) await clearLayersAsHolder(database);
    return { created, altered, epoch };
  } finally {
    // Reading goes on even where the lease is lost.
    if (options.database) await resumeConsumption(options.database, [...new Set(readers)]);
  }
}

async function refuseWhileLive({ isLive, force = false }: ResetOptions): Promise<void> {
  if (force || !isLive || !(await isLive())) return;
  throw new UserError(
    "A generator is publishing: recreating the topics would take them from under it",
    "make generator-down first, or --force",
  );
}

const isInScope = (name: string, scope: "events" | "all"): boolean =>
  scope === "all" ? name !== EPOCH_TOPIC : EVENT_TOPICS.some((topic) => topic === name);
