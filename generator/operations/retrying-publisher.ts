import { setTimeout as sleep } from "node:timers/promises";
import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { type BatchHistory, STATE_TOPIC } from "../../contract/topics.ts";
import {
  BrokerError,
  FencedError,
  isPermanent,
  PublishError,
  reasonOf,
} from "../../kafka/errors.ts";
import { type LogEnds, laterEnds } from "../../kafka/produce.ts";
import type { StoredValue } from "../../kafka/publisher.ts";
import { type InstancePublisher, type KnownRecord, textIn, textOf } from "./known-record.ts";
import type { InstanceRecord } from "./record.ts";

interface Waits {
  /** Pause before the first retry, doubled with each, ms. */
  readonly firstMs: number;
  readonly longestMs: number;
  readonly inAllMs: number;
}

/** Default waits: after ten minutes without the broker, the failure is reported. */
const WAITS: Waits = { firstMs: 200, longestMs: 5_000, inAllMs: 600_000 };

export interface OutgoingBatch {
  readonly batch: MessageBatch;
  readonly record: InstanceRecord;
  /** Record for `generator_manifest`, with the instance as key. */
  readonly source?: object;
  /** True for a record without messages, which the batch history omits. */
  readonly isSilent?: true;
}

interface RetryingPublisherOptions {
  readonly instance: string;
  /** Takes over the instance; also called when the outcome of a transaction is unknown. */
  readonly open: () => Promise<InstancePublisher>;
  readonly known: KnownRecord;
  /** Topic ends in the instance's record. */
  readonly ends: LogEnds;
  readonly onCommitted?: (outgoing: OutgoingBatch, repeats: number) => void;
  /** Called for a failed attempt, whose batches are sent again. */
  readonly onFailure?: (error: Error) => void;
  /** Signal that stops sending; uncommitted batches are dropped. */
  readonly signal: AbortSignal;
  readonly waits?: Waits;
  /** Monotonic clock, ms; replaceable in tests. */
  readonly now?: () => number;
}

interface Entry extends OutgoingBatch {
  readonly startedAt: Date;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly failures: string[];
  sent: InstanceRecord;
}

/** Commits batches in order, each exactly once; repeats failed attempts. */
export class RetryingPublisher {
  readonly #options: RetryingPublisherOptions;
  #publisher: InstancePublisher;
  #entries: Entry[] = [];
  #recovery: Promise<void> | undefined;
  #ends: LogEnds;
  readonly #retryTimeout: RetryTimeout;
  #end: { readonly error: unknown } | undefined;

  constructor(publisher: InstancePublisher, options: RetryingPublisherOptions) {
    this.#publisher = publisher;
    this.#options = options;
    this.#ends = options.ends;
    this.#retryTimeout = new RetryTimeout((options.waits ?? WAITS).inAllMs, options.now);
  }

  get epoch(): number {
    return this.#publisher.epoch;
  }

  /**
   * Sends a batch; resolves after the commit.
   * @throws FencedError, PublishError for a batch that is never accepted, BrokerError after ten
   * minutes without success, AbortError
   */
  send(outgoing: OutgoingBatch): Promise<void> {
    const sent = this.#end ? Promise.reject(this.#end.error) : this.#enter(outgoing);
    // Callers await only the last of several batches, so the others need a handler.
    sent.catch(() => undefined);
    return sent;
  }

  #enter(outgoing: OutgoingBatch): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const sent = outgoing.record;
      const entry = { ...outgoing, sent, startedAt: new Date(), resolve, reject, failures: [] };
      this.#entries.push(entry);
      if (!this.#recovery) this.#submit(entry);
    });
  }

  async hasRoom(): Promise<void> {
    while (this.#recovery) await this.#recovery;
    if (this.#end) throw this.#end.error;
    await this.#publisher.hasRoom();
  }

  /** Records a clean shutdown, so that others need not wait. @returns true if committed */
  async recordShutdown(): Promise<boolean> {
    const latest = this.#entries.at(-1)?.record ?? this.#options.known.written;
    if (!latest) return false;
    const record = { ...latest, stopped: true };
    return this.send({ batch: emptyBatch(), record, isSilent: true }).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    while (this.#recovery) await this.#recovery;
    await this.#publisher.close();
  }

  #submit(entry: Entry): void {
    const { batch, record, source, isSilent } = entry;
    this.#ends = laterEnds(this.#ends, this.#publisher.ends);
    entry.sent = { ...record, ends: this.#ends };
    const records = {
      state: entry.sent,
      ...(source ? { manifest: source } : {}),
      ...(isSilent ? {} : { history: this.#historyOf(entry) }),
    };
    this.#publisher.publishBatch(batch, records).then(
      () => this.#confirm(entry),
      (error: unknown) => this.#fail(error),
    );
  }

  #confirm(entry: Entry): void {
    this.#retryTimeout.succeeded();
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#options.known.replace(entry.sent);
    this.#options.onCommitted?.(entry, entry.failures.length);
    entry.resolve();
  }

  /** Starts one recovery for all batches, because the publisher drops the queue after a failure. */
  #fail(error: unknown): void {
    if (this.#recovery || this.#end) return;
    this.#recovery = this.#recover(error).then(
      () => this.#sendAgain(),
      (reason: unknown) => this.#giveUp(reason),
    );
  }

  async #recover(cause: unknown): Promise<void> {
    const { signal, onFailure, waits = WAITS } = this.#options;
    if (!isWorthRepeating(cause)) {
      await this.#recordError(cause);
      throw cause;
    }
    onFailure?.(cause);
    this.#retryTimeout.failed(cause);
    const waited = this.#entries[0]?.failures.length ?? 0;
    for (const entry of this.#entries) entry.failures.push(cause.message);
    const wait = Math.min(waits.firstMs * 2 ** waited, waits.longestMs);
    await sleep(wait, undefined, { signal });
    if (cause.outcome === "unknown") await this.#reopen();
  }

  #sendAgain(): void {
    this.#recovery = undefined;
    for (const entry of [...this.#entries]) this.#submit(entry);
  }

  /** Takes over again. @throws FencedError if another process has written */
  async #reopen(): Promise<void> {
    const { instance, known } = this.#options;
    await this.#publisher.close().catch(() => undefined);
    const stored = await this.#takeOver();
    const text = textIn(known.epoch, stored);
    const last = this.#entries.findLastIndex(({ sent }) => textOf(sent) === text);
    const isKnown = last >= 0 || known.is(text);
    if (this.epoch !== known.epoch || !isKnown) throw new FencedError(instance);
    for (const entry of this.#entries.slice(0, last + 1)) this.#confirm(entry);
  }

  /** Retries until the broker answers. @throws BrokerError on a permanent error or after ten minutes */
  async #takeOver(): Promise<StoredValue | null> {
    const { open, signal, onFailure, waits = WAITS } = this.#options;
    for (;;) {
      try {
        this.#publisher = await open();
        return await this.#publisher.readLatest(STATE_TOPIC);
      } catch (error) {
        onFailure?.(error as Error);
        await this.#publisher.close().catch(() => undefined);
        if (isPermanent(error)) throw error;
        this.#retryTimeout.failed(error);
        await sleep(waits.longestMs, undefined, { signal });
      }
    }
  }

  #giveUp(error: unknown): void {
    this.#recovery = undefined;
    this.#end = { error };
    const entries = this.#entries;
    this.#entries = [];
    for (const entry of entries) entry.reject(error);
  }

  async #recordError(cause: unknown): Promise<void> {
    const [entry] = this.#entries;
    if (!entry || !(cause instanceof PublishError)) return;
    const history: BatchHistory = {
      ...this.#historyOf({ ...entry, batch: emptyBatch() }),
      status: "error",
      error_message: cause.message,
    };
    await this.#publisher.publishBatch(emptyBatch(), { history }).catch(() => undefined);
  }

  #historyOf({ batch, record, startedAt, failures }: Entry): BatchHistory {
    const [sent_browser, sent_location, sent_device, sent_geo] = STREAMS.map(
      (stream) => batch[stream].values.length,
    ) as [number, number, number, number];
    const number = String(record.batches).padStart(9, "0");
    return {
      batch_id: `${this.#options.instance}-${this.epoch}-${number}`,
      started_at: startedAt.toISOString(),
      finished_at: new Date().toISOString(),
      sent_total: sent_browser + sent_location + sent_device + sent_geo,
      sent_browser,
      sent_location,
      sent_device,
      sent_geo,
      status: failures.length === 0 ? "success" : "partial",
      error_message: failures.at(-1) ?? "",
    };
  }
}

const isWorthRepeating = (error: unknown): error is PublishError =>
  error instanceof PublishError && !isPermanent(error.cause);

/** Time without a success; reports the failure when it is too long. */
class RetryTimeout {
  readonly #mostMs: number;
  readonly #now: () => number;
  #since: number | undefined;

  constructor(mostMs: number, now: () => number = () => performance.now()) {
    this.#mostMs = mostMs;
    this.#now = now;
  }

  succeeded(): void {
    this.#since = undefined;
  }

  /** Records a failure. @throws BrokerError after too long without success */
  failed(cause: unknown): void {
    const time = this.#now();
    this.#since ??= time;
    const waited = time - this.#since;
    if (waited <= this.#mostMs) return;
    throw new BrokerError(
      `Kafka has accepted no batch for ${Math.round(waited / 1000)} s (limit: ${this.#mostMs / 1000} s). Last error: ${reasonOf(cause)}`,
      "run make urls to see whether Kafka answers, then make generator-restart to resume",
      cause,
    );
  }
}
