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
import { Patience, WAITS, type Waits } from "./retry.ts";

/** A batch with what is committed together with it. */
export interface Outgoing {
  readonly batch: MessageBatch;
  readonly record: InstanceRecord;
  /** Kept in `generator_manifest` under the instance's name. */
  readonly source?: object;
  /** Carries no tick and no hour: nothing for the batch history. */
  readonly isSilent?: true;
}

export interface SenderOptions {
  /** Name in batch ids. */
  readonly instance: string;
  /** Takes the instance over; called again when the fate of a transaction is unknown. */
  readonly open: () => Promise<InstancePublisher>;
  /** What stands before the first batch; kept up to date. */
  readonly known: KnownRecord;
  /** Where the event topics end, as far as the instance's record tells. */
  readonly ends: LogEnds;
  /** Called with each batch that instances, and how often it had to be sent again. */
  readonly onCommitted?: (outgoing: Outgoing, repeats: number) => void;
  /** Called when an attempt failed; the batches in question are sent again. */
  readonly onFailure?: (error: Error) => void;
  /** Ends all waiting; what does not stand by then never will. */
  readonly signal: AbortSignal;
  /** Pauses before an attempt is repeated, and how long it may go on without any success, ms. */
  readonly waits?: Waits;
  /** Monotonic clock, ms; another one for tests. */
  readonly now?: () => number;
}

interface Entry extends Outgoing {
  readonly startedAt: Date;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Why it had to be sent again. */
  readonly failures: string[];
  /** The record as it went out with the latest attempt. */
  sent: InstanceRecord;
}

/**
 * Commits batches in the order they are handed over, each exactly once. When an attempt fails,
 * nothing of it stands: it is sent again, with those behind it, until the broker takes it or has
 * taken nothing for ten minutes.
 */
export class Sender {
  readonly #options: SenderOptions;
  #publisher: InstancePublisher;
  #entries: Entry[] = [];
  #recovery: Promise<void> | undefined;
  #ends: LogEnds;
  readonly #patience: Patience;
  #end: { readonly error: unknown } | undefined;

  /** `publisher`: the instance, taken over and found as `known` says. */
  constructor(publisher: InstancePublisher, options: SenderOptions) {
    this.#publisher = publisher;
    this.#options = options;
    this.#ends = options.ends;
    this.#patience = new Patience((options.waits ?? WAITS).inAllMs, options.now);
  }

  get epoch(): number {
    return this.#publisher.epoch;
  }

  /**
   * Resolves when the batch instances.
   * @throws FencedError when somebody took the instance over, PublishError when the broker will never
   * take the batch, BrokerError when it took none for too long or cannot be opened any more,
   * AbortError when the signal ended the waiting
   */
  send(outgoing: Outgoing): Promise<void> {
    const sent = this.#end ? Promise.reject(this.#end.error) : this.#enter(outgoing);
    // Whoever hands over several waits for the last: the others fail with it.
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

  /** Resolves when another batch may be handed over. */
  async hasRoom(): Promise<void> {
    while (this.#recovery) await this.#recovery;
    if (this.#end) throw this.#end.error;
    await this.#publisher.hasRoom();
  }

  /**
   * Commits that nobody writes any more: others need not wait to see whether the next batch comes.
   * Where that fails they do wait.
   * @returns whether there was something to tell, and it stands
   */
  async rest(): Promise<boolean> {
    const latest = this.#entries.at(-1)?.record ?? this.#options.known.written;
    if (!latest) return false;
    const record = { ...latest, stopped: true };
    return this.send({ batch: emptyBatch(), record, isSilent: true }).then(
      () => true,
      () => false,
    );
  }

  /** Lets what is under way end, and lets the instance go. */
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
    this.#patience.succeeded();
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#options.known.replace(entry.sent);
    this.#options.onCommitted?.(entry, entry.failures.length);
    entry.resolve();
  }

  /** The publisher drops all that waits behind a failure, so one recovery serves them all. */
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
    this.#patience.failed(cause);
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

  /**
   * Takes the instance over anew: then its record tells which batches stand.
   * @throws FencedError when it is neither the last one known here nor that of a batch under way:
   * another process has written meanwhile, and going on from here would write twice
   */
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

  /**
   * @returns what is stored, as soon as the broker can be asked
   * @throws BrokerError when that takes too long, or what it answers will not change
   */
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
        this.#patience.failed(error);
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

  /** The record of a batch that will never stand. It is told as well as the broker allows. */
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
