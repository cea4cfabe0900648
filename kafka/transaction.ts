import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { type Partitions, TRANSACTION_TIMEOUT_MS, TransactionCoordinator } from "./coordinator.ts";
import {
  FencedError,
  isFenced,
  isPermanent,
  PublishError,
  protocolErrors,
  reasonOf,
} from "./errors.ts";
import {
  type LogEnds,
  laterEnds,
  type PartitionBatches,
  produceAll,
  Sequences,
} from "./produce.ts";
import type { Producer } from "./records.ts";

/** Longest wait of one attempt for the coordinator, ms. */
const ATTEMPT_MS = 3_000;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

/** Errors of a commit which prove that the transaction is not committed. */
const REFUSALS = new Set([
  "INVALID_PRODUCER_EPOCH",
  "INVALID_PRODUCER_ID_MAPPING",
  "INVALID_TXN_STATE",
  "PRODUCER_FENCED",
  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
  "TRANSACTION_ABORTABLE",
]);

interface TransactionOptions {
  readonly transactionalId: string;
  readonly patienceMs: number;
  /** Maximum number of attempts within the time limit; default unlimited. */
  readonly attempts?: number;
  /** Transaction timeout, ms; default one minute. */
  readonly timeoutMs?: number;
  /** Called for every failed attempt, even if a later one succeeds. */
  readonly onFailure?: (failure: PublishError) => void;
}

/** Transactional producer. A new producer id after each failed attempt prevents duplicates. */
export class TransactionalProducer {
  readonly #client: Admin;
  readonly #options: TransactionOptions;
  readonly #coordinator: TransactionCoordinator;
  readonly #timeoutMs: number;
  #producer: Producer | undefined;
  #sequences = new Sequences();
  #ends: LogEnds = {};
  /** Start of a possibly open transaction, ms on the monotonic clock. */
  #openSince: number | undefined;
  /** Set when a transaction's outcome is unknown: a later write could duplicate data. */
  #lost: PublishError | undefined;

  constructor(client: Admin, options: TransactionOptions) {
    this.#client = client;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TRANSACTION_TIMEOUT_MS;
    const { transactionalId } = options;
    this.#coordinator = new TransactionCoordinator(client, transactionalId, this.#timeoutMs);
  }

  /** Offsets after the last committed messages, without transaction markers. */
  get ends(): LogEnds {
    return this.#ends;
  }

  /** Fences the previous producer and aborts its open transaction. */
  async open(): Promise<void> {
    await this.#identify(Date.now() + this.#options.patienceMs);
  }

  /** Commits batches in one transaction, with retries. @throws FencedError, PublishError */
  async commit(parts: readonly PartitionBatches[]): Promise<void> {
    if (this.#lost) throw this.#lost;
    if (parts.length === 0) return;
    const { patienceMs, attempts = Number.POSITIVE_INFINITY } = this.#options;
    const deadline = Date.now() + patienceMs;
    let wait = FIRST_WAIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(parts, deadline);
      } catch (error) {
        const failure = this.#failureOf(parts, error);
        this.#options.onFailure?.(failure);
        if (failure.outcome === "unknown") this.#lost = failure;
        const isLast = attempt >= attempts || Date.now() + wait > deadline;
        if (this.#lost || isPermanent(failure.cause) || isLast) throw failure;
      }
      await sleep(wait);
      wait = Math.min(wait * 2, MAX_WAIT_MS);
    }
  }

  /** Converts an error. Brokers report a timed-out transaction and fencing with the same code. */
  #failureOf(parts: readonly PartitionBatches[], error: unknown): PublishError {
    if (!isFenced(error)) return error instanceof PublishError ? error : failureOf(parts, error);
    const open = this.#openSince === undefined ? 0 : performance.now() - this.#openSince;
    if (open < this.#timeoutMs) throw new FencedError(this.#options.transactionalId);
    return failureOf(parts, error, undefined, "unknown");
  }

  async #attempt(parts: readonly PartitionBatches[], deadline: number): Promise<void> {
    const attemptDeadline = Math.min(deadline, Date.now() + ATTEMPT_MS);
    const producer = await this.#identify(attemptDeadline);
    this.#openSince = performance.now();
    await this.#coordinator.addPartitions(producer, partitionsOf(parts), attemptDeadline);
    const { transactionalId } = this.#options;
    const { failures, ends } = await produceAll(
      this.#client,
      transactionalId,
      producer,
      this.#sequences,
      parts,
    );
    if (failures.size > 0) throw failureOf(parts, [...failures.values()][0], failures);
    await this.#finish(parts, producer, deadline);
    this.#openSince = undefined;
    this.#ends = laterEnds(this.#ends, ends);
  }

  async #identify(deadline: number): Promise<Producer> {
    if (this.#producer && this.#openSince === undefined) return this.#producer;
    if (this.#producer) await this.#abort(this.#producer, deadline);
    this.#client.clearMetadata();
    this.#producer = await this.#coordinator.initialise(this.#producer, deadline);
    this.#sequences = new Sequences();
    this.#openSince = undefined;
    return this.#producer;
  }

  async #abort(producer: Producer, deadline: number): Promise<void> {
    try {
      await this.#coordinator.end(producer, "abort", deadline);
    } catch (error) {
      const names = protocolErrors(error);
      // The broker has lost the transactional id, so no other producer uses the id.
      if (names.includes("INVALID_PRODUCER_ID_MAPPING")) this.#producer = undefined;
      // INVALID_TXN_STATE: no transaction was open, because no partition had been added.
      else if (!names.includes("INVALID_TXN_STATE")) throw error;
    }
  }

  async #finish(
    parts: readonly PartitionBatches[],
    producer: Producer,
    deadline: number,
  ): Promise<void> {
    try {
      await this.#coordinator.end(producer, "commit", deadline);
    } catch (error) {
      if (protocolErrors(error).some((name) => REFUSALS.has(name))) throw error;
      throw failureOf(parts, error, undefined, "unknown");
    }
  }
}

function partitionsOf(parts: readonly PartitionBatches[]): Partitions {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of parts) {
    topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  }
  return [...topics].map(([name, partitions]) => ({ name, partitions }));
}

function failureOf(
  parts: readonly PartitionBatches[],
  cause: unknown,
  failed?: ReadonlyMap<string, unknown>,
  outcome: PublishError["outcome"] = "aborted",
): PublishError {
  const topics: Record<string, number> = {};
  for (const { topic, batches } of parts) {
    if (failed && !failed.has(topic)) continue;
    const records = batches.reduce((sum, batch) => sum + batch.records, 0);
    topics[topic] = (topics[topic] ?? 0) + records;
  }
  const ending = outcome === "unknown" ? "; the outcome of the transaction is unknown" : "";
  const names = Object.keys(topics).join(", ");
  return new PublishError({
    message: `Publishing to ${names} failed: ${reasonOf(cause)}${ending}`,
    topics,
    outcome,
    cause,
  });
}
