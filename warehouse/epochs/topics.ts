import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { CONSUMER_GROUP, EPOCH_TOPIC, EVENT_TOPICS, topicSpecs } from "../../contract/topics.ts";
import { deleteGroup } from "../../kafka/consumer-groups.ts";
import { fenceProducers } from "../../kafka/coordinator.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import {
  EPOCH_PRODUCER_ID,
  hasRegistry,
  openEpochProducer,
  registerEpoch,
  startEpoch,
} from "../../kafka/epoch-writer.ts";
import { FencedError } from "../../kafka/errors.ts";
import { createTopics, deleteTopics } from "../../kafka/topics.ts";
import type { TransactionalProducer } from "../../kafka/transaction.ts";
import { clearLayersAsHolder } from "../batch/clear-layers.ts";
import { type Lease, type LeaseOptions, withLease } from "../batch/lease.ts";
import { pauseConsumption, resumeConsumption } from "../ingest/consumption.ts";
import { closeEpoch } from "../reconciliation/close-epoch.ts";

const CREATED = "topics created";

export interface TopicsOptions {
  /** Database that registers epochs and reads messages, or null. */
  readonly database: Database | null;
}

export interface EnsuredTopics {
  readonly created: readonly string[];
  readonly altered: readonly string[];
  /** Current epoch; a new one if an event topic had to be created. */
  readonly epoch: number;
}

/** Creates missing topics. A re-created event topic starts at offset 0, so a new epoch begins. */
export async function ensureTopics(admin: Admin, options: TopicsOptions): Promise<EnsuredTopics> {
  for (let left = RETRIES; ; left--) {
    try {
      return await ensureOnce(admin, options);
    } catch (error) {
      if (left === 0 || !(error instanceof FencedError)) throw error;
      // Two processes that retry at the same moment would fence each other again.
      await sleep(Math.random() * PAUSE_MS);
    }
  }
}

/** Number of retries; after a faster concurrent process, a retry has less work. */
const RETRIES = 5;
const PAUSE_MS = 1_000;

async function ensureOnce(admin: Admin, { database }: TopicsOptions): Promise<EnsuredTopics> {
  const specs = topicSpecs();
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
  // Starts an epoch because a topic was deleted after it was listed.
  if (isWhole && second.created.length > 0) epoch = await beginEpoch(admin, database);
  if (database) await registerEpoch(database, epoch, CREATED);
  if (database) await resumeConsumption(database);
  return {
    created: [...first.created, ...second.created],
    altered: [...first.altered, ...second.altered],
    epoch,
  };
}

async function beginEpoch(admin: Admin, db: Database | null): Promise<number> {
  return turnEpoch(admin, await openEpochProducer(admin), db, CREATED);
}

/** Starts an epoch, then fences producers: none may write to topics about to be deleted. */
async function turnEpoch(
  admin: Admin,
  producer: TransactionalProducer,
  db: Database | null,
  reason: string,
): Promise<number> {
  const epoch = await startEpoch(admin, producer, db, reason);
  await fenceProducers(admin, EPOCH_PRODUCER_ID);
  return epoch;
}

export interface ResetOptions extends TopicsOptions {
  /** Topics to re-create; `all` also re-creates history, state and manifest. Default `events`. */
  readonly scope?: "events" | "all";
  readonly reason?: string;
  readonly isLive?: () => Promise<boolean>;
  /** Resets even while a generator is live, which is then fenced and must restart. */
  readonly force?: boolean;
  /** Also empties the layers, under the same lease. */
  readonly clearsLayers?: boolean;
  readonly onDelete?: () => void;
  readonly lease?: LeaseOptions;
}

/**
 * Re-creates the topics. Without `clearsLayers`, first waits until all messages are stored.
 * @throws UserError when a generator is live, or the remaining layers lack messages
 */
export async function resetTopics(admin: Admin, options: ResetOptions): Promise<EnsuredTopics> {
  await refuseWhileLive(options);
  const { database } = options;
  if (!database || !(await hasRegistry(database))) return replaceTopics(admin, options, database);
  const { reason = DEFAULT_REASON, lease } = options;
  const isFinal = !(await options.isLive?.());
  const work = async ({ db }: Lease) => {
    // The topics are the only other copy of messages that the layers lack.
    if (!options.clearsLayers) await closeEpoch(db, admin, { isFinal });
    return replaceTopics(admin, options, db);
  };
  return withLease(database, reason, work, lease);
}

const DEFAULT_REASON = "topics reset";

async function replaceTopics(
  admin: Admin,
  options: ResetOptions,
  database: Database | null,
): Promise<EnsuredTopics> {
  const { scope = "events", reason = DEFAULT_REASON } = options;
  const specs = topicSpecs();
  await createTopics(
    admin,
    specs.filter(({ name }) => name === EPOCH_TOPIC),
  );
  const producer = await openEpochProducer(admin);
  if (database) await pauseConsumption(database, admin);
  try {
    await deleteGroup(admin, CONSUMER_GROUP);
    const selected = specs.filter(({ name }) => isInScope(name, scope)).map(({ name }) => name);
    options.onDelete?.();
    await deleteTopics(admin, selected);
    const epoch = await turnEpoch(admin, producer, database, reason);
    const { created, altered } = await createTopics(admin, specs);
    // This follows the deletion, so that no message of an earlier epoch arrives later.
    if (database && options.clearsLayers) await clearLayersAsHolder(database);
    return { created, altered, epoch };
  } finally {
    // The reader resumes even if the lease is lost.
    if (options.database) await resumeConsumption(options.database);
  }
}

async function refuseWhileLive({ isLive, force = false }: ResetOptions): Promise<void> {
  if (force || !isLive || !(await isLive())) return;
  throw new UserError(
    "A generator is publishing to the topics, and a reset deletes them",
    "run make generator-down first, or pass --force",
  );
}

const isInScope = (name: string, scope: "events" | "all"): boolean =>
  scope === "all" ? name !== EPOCH_TOPIC : EVENT_TOPICS.some((topic) => topic === name);
