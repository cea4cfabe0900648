import { setTimeout as sleep } from "node:timers/promises";
import type { BatchHistory } from "../../contract/batchHistory.ts";
import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import type { KafkaPublisher } from "../adapters/kafka.ts";
import { FencedError, isFinal, PublishError } from "../adapters/kafka-errors.ts";
import { parseFrame, type StandRecord } from "./record.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/** A batch with what is committed together with it. */
export interface Outgoing {
  readonly batch: MessageBatch;
  readonly record: StandRecord;
  /** Kept in `generator_manifest` under the stand's name. */
  readonly source?: object;
  /** Carries no tick and no hour: nothing for the batch history. */
  readonly isSilent?: true;
}

export interface SenderOptions {
  /** Name in batch ids. */
  readonly stand: string;
  /** Takes the stand over; called again when the fate of a transaction is unknown. */
  readonly open: () => Promise<KafkaPublisher>;
  /** Called with each batch that stands, and how often it had to be sent again. */
  readonly onCommitted?: (outgoing: Outgoing, repeats: number) => void;
  /** Called when an attempt failed; the batches in question are sent again. */
  readonly onFailure?: (error: Error) => void;
  /** Ends all waiting; what does not stand by then never will. */
  readonly signal: AbortSignal;
}

interface Entry extends Outgoing {
  readonly startedAt: Date;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Why it had to be sent again. */
  readonly failures: string[];
}

/**
 * Commits batches in the order they are handed over, each exactly once. When an attempt fails,
 * nothing of it stands: it is sent again, with those behind it, until the broker takes it.
 */
export class Sender {
  readonly #options: SenderOptions;
  #publisher: KafkaPublisher;
  #entries: Entry[] = [];
  #recovery: Promise<void> | undefined;
  #end: { readonly error: unknown } | undefined;

  private constructor(options: SenderOptions, publisher: KafkaPublisher) {
    this.#options = options;
    this.#publisher = publisher;
  }

  static async open(options: SenderOptions): Promise<Sender> {
    return new Sender(options, await options.open());
  }

  get epoch(): number {
    return this.#publisher.epoch;
  }

  /**
   * Resolves when the batch stands.
   * @throws FencedError when somebody took the stand over, PublishError when the broker will never
   * take the batch, AbortError when the signal ended the waiting
   */
  send(outgoing: Outgoing): Promise<void> {
    if (this.#end) return Promise.reject(this.#end.error);
    const sent = new Promise<void>((resolve, reject) => {
      const entry = { ...outgoing, startedAt: new Date(), resolve, reject, failures: [] };
      this.#entries.push(entry);
      if (!this.#recovery) this.#submit(entry);
    });
    // Whoever hands over several waits for the last: the others fail with it.
    sent.catch(() => undefined);
    return sent;
  }

  /** Resolves when another batch may be handed over. */
  async hasRoom(): Promise<void> {
    while (this.#recovery) await this.#recovery;
    if (this.#end) throw this.#end.error;
    await this.#publisher.hasRoom();
  }

  /** Lets what is under way end, and lets the stand go. */
  async close(): Promise<void> {
    while (this.#recovery) await this.#recovery;
    await this.#publisher.close();
  }

  #submit(entry: Entry): void {
    const { batch, record, source, isSilent } = entry;
    const records = {
      state: record,
      ...(source ? { manifest: source } : {}),
      ...(isSilent ? {} : { history: this.#history(entry) }),
    };
    this.#publisher.publishBatch(batch, records).then(
      () => this.#confirm(entry),
      (error: unknown) => this.#fail(error),
    );
  }

  #confirm(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#options.onCommitted?.(entry, entry.failures.length);
    entry.resolve();
  }

  /** The publisher drops all that waits behind a failure, so one recovery serves them all. */
  #fail(error: unknown): void {
    if (this.#recovery || this.#end) return;
    this.#recovery = this.#recover(error)
      .catch((reason: unknown) => this.#giveUp(reason))
      .finally(() => {
        this.#recovery = undefined;
      });
  }

  async #recover(cause: unknown): Promise<void> {
    const { signal, onFailure } = this.#options;
    if (!isCurable(cause)) {
      await this.#recordError(cause);
      throw cause;
    }
    onFailure?.(cause);
    const waited = this.#entries[0]?.failures.length ?? 0;
    for (const entry of this.#entries) entry.failures.push(cause.message);
    await sleep(Math.min(FIRST_WAIT_MS * 2 ** waited, LONGEST_WAIT_MS), undefined, { signal });
    if (cause.outcome === "unknown") await this.#reopen();
    this.#recovery = undefined;
    for (const entry of [...this.#entries]) this.#submit(entry);
  }

  /** Takes the stand over anew: then its record tells which batches stand. */
  async #reopen(): Promise<void> {
    const { open, signal, onFailure } = this.#options;
    await this.#publisher.close().catch(() => undefined);
    const { epoch } = this.#publisher;
    for (;;) {
      try {
        this.#publisher = await open();
        break;
      } catch (error) {
        onFailure?.(error as Error);
        await sleep(LONGEST_WAIT_MS, undefined, { signal });
      }
    }
    if (this.#publisher.epoch !== epoch) throw new FencedError(this.#options.stand);
    const stored = await this.#publisher.readLatest(STATE_TOPIC);
    const batches = stored?.epoch === epoch ? parseFrame(stored.value).batches : 0;
    for (const entry of [...this.#entries]) {
      if (entry.record.batches <= batches) this.#confirm(entry);
    }
  }

  #giveUp(error: unknown): void {
    this.#end = { error };
    const entries = this.#entries;
    this.#entries = [];
    for (const entry of entries) entry.reject(error);
  }

  /** The record of a batch that will never stand. It is told as well as the broker allows. */
  async #recordError(cause: unknown): Promise<void> {
    const [entry] = this.#entries;
    if (!entry || !(cause instanceof PublishError)) return;
    const none = { sent_total: 0, sent_browser: 0, sent_location: 0, sent_device: 0, sent_geo: 0 };
    const history = {
      ...this.#history(entry),
      ...none,
      status: "error" as const,
      error_message: cause.message,
    };
    await this.#publisher.publishBatch(emptyBatch(), { history }).catch(() => undefined);
  }

  #history({ batch, record, startedAt, failures }: Entry): BatchHistory {
    const [sent_browser, sent_location, sent_device, sent_geo] = STREAMS.map(
      (stream) => batch[stream].values.length,
    ) as [number, number, number, number];
    const number = String(record.batches).padStart(9, "0");
    return {
      batch_id: `${this.#options.stand}-${this.epoch}-${number}`,
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

const isCurable = (error: unknown): error is PublishError =>
  error instanceof PublishError && !isFinal(error.cause);
