import { setTimeout as sleep } from "node:timers/promises";
import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import { FencedError, isFinal, PublishError } from "../../kafka/errors.ts";
import { type LogEnds, laterEnds } from "../../kafka/produce.ts";
import type { StoredValue } from "../../kafka/publisher.ts";
import { errorOf, historyOf, type SentBatch } from "./history.ts";
import type { InstancePublisher } from "./instance-publisher.ts";
import { type KnownRecord, textIn, textOf } from "./known-record.ts";
import type { InstanceRecord } from "./record.ts";
import { RetryTimeout, WAITS, type Waits } from "./retry.ts";

export interface Outgoing {
  readonly batch: MessageBatch;
  readonly record: InstanceRecord;
  /** Stored in `generator_manifest` under the instance's name. */
  readonly source?: object;
  /** Has no tick and no hour, so the batch history omits it. */
  readonly isSilent?: true;
}

export interface SenderOptions {
  readonly instance: string;
  /** Takes the instance over; called again when the outcome of a transaction is unknown. */
  readonly open: () => Promise<InstancePublisher>;
  readonly known: KnownRecord;
  /** End offsets of the event topics, as far as the instance's record has them. */
  readonly ends: LogEnds;
  readonly onCommitted?: (outgoing: Outgoing, repeats: number) => void;
  /** Called when an attempt failed; its batches are sent again. */
  readonly onFailure?: (error: Error) => void;
  /** Ends all waiting; what is not committed by then never will be. */
  readonly signal: AbortSignal;
  readonly waits?: Waits;
  /** Monotonic clock, ms; tests replace it. */
  readonly now?: () => number;
}

interface Entry extends Outgoing {
  readonly startedAt: Date;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly failures: string[];
  sent: InstanceRecord;
}

/** Commits batches in order, each exactly once. A failed attempt leaves nothing and is repeated. */
export class Sender {
  readonly #options: SenderOptions;
  #publisher: InstancePublisher;
  #entries: Entry[] = [];
  #recovery: Promise<void> | undefined;
  #ends: LogEnds;
  readonly #retryTimeout: RetryTimeout;
  #end: { readonly error: unknown } | undefined;

  constructor(publisher: InstancePublisher, options: SenderOptions) {
    this.#publisher = publisher;
    this.#options = options;
    this.#ends = options.ends;
    this.#retryTimeout = new RetryTimeout((options.waits ?? WAITS).inAllMs, options.now);
  }

  get epoch(): number {
    return this.#publisher.epoch;
  }

  /**
   * Resolves when the batch is committed.
   * @throws FencedError, PublishError for a batch that is never accepted, BrokerError after ten
   * minutes without success, AbortError
   */
  send(outgoing: Outgoing): Promise<void> {
    const sent = this.#end ? Promise.reject(this.#end.error) : this.#enter(outgoing);
    // A caller with several batches awaits the last only; the others fail with it.
    sent.catch(() => undefined);
    return sent;
  }

  #enter(outgoing: Outgoing): Promise<void> {
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

  /** Records a clean shutdown, so others need not wait. @returns true if that was committed */
  async rest(): Promise<boolean> {
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
      ...(isSilent ? {} : { history: historyOf(this.#sentBatch(entry)) }),
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

  /** The publisher drops everything queued after a failure, so one recovery serves all. */
  #fail(error: unknown): void {
    if (this.#recovery || this.#end) return;
    this.#recovery = this.#recover(error).then(
      () => this.#sendAgain(),
      (reason: unknown) => this.#giveUp(reason),
    );
  }

  async #recover(cause: unknown): Promise<void> {
    const { signal, onFailure, waits = WAITS } = this.#options;
    if (!isCurable(cause)) {
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

  /** @throws FencedError if another process has written: continuing would duplicate data */
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

  /** Retries until the broker answers. @throws BrokerError on a permanent error, or in the end */
  async #takeOver(): Promise<StoredValue | null> {
    const { open, signal, onFailure, waits = WAITS } = this.#options;
    for (;;) {
      try {
        this.#publisher = await open();
        return await this.#publisher.readLatest(STATE_TOPIC);
      } catch (error) {
        onFailure?.(error as Error);
        await this.#publisher.close().catch(() => undefined);
        if (isFinal(error)) throw error;
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
    const history = errorOf(this.#sentBatch(entry), cause.message);
    await this.#publisher.publishBatch(emptyBatch(), { history }).catch(() => undefined);
  }

  #sentBatch({ batch, record, startedAt, failures }: Entry): SentBatch {
    const { instance } = this.#options;
    return { instance, epoch: this.epoch, number: record.batches, batch, startedAt, failures };
  }
}

const isCurable = (error: unknown): error is PublishError =>
  error instanceof PublishError && !isFinal(error.cause);
