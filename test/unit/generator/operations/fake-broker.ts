import type { MessageBatch } from "../../../../contract/ports.ts";
import type { InstancePublisher } from "../../../../generator/operations/known-record.ts";
import type { BatchRecords } from "../../../../kafka/batch-groups.ts";
import { PublishError } from "../../../../kafka/errors.ts";
import type { LogEnds } from "../../../../kafka/produce.ts";
import type { StoredValue } from "../../../../kafka/publisher.ts";

/**
 * Outcome of one attempt. `lost`: committed, but without an answer; `gone`: not committed and
 * without an answer.
 */
export type Fate = "committed" | "lost" | "gone" | Error;

/** A broker with one instance's record and planned outcomes for each attempt. */
export class FakeBroker {
  epoch = 7;
  stored: StoredValue | null = null;
  /** Everything committed, in order. */
  readonly committed: BatchRecords[] = [];
  /** Outcomes of the next attempts; afterwards everything is committed. */
  readonly fates: Fate[] = [];
  /** Errors of the next connections. */
  readonly openings: Error[] = [];
  opened = 0;
  /** The publisher's topic offsets after its commits. */
  ends: LogEnds = {};

  /** Writes a record as another process, or an earlier one, would leave it. */
  store(record: object, epoch = this.epoch): void {
    this.stored = { value: JSON.stringify(record), epoch };
  }

  readonly open = async (): Promise<InstancePublisher> => {
    const failure = this.openings.shift();
    if (failure) throw failure;
    this.opened += 1;
    return new FakePublisher(this);
  };
}

interface QueuedBatch {
  readonly records: BatchRecords;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class FakePublisher implements InstancePublisher {
  readonly epoch: number;
  readonly #broker: FakeBroker;
  #queue: QueuedBatch[] = [];
  #working: Promise<void> | undefined;

  constructor(broker: FakeBroker) {
    this.#broker = broker;
    this.epoch = broker.epoch;
  }

  get ends(): LogEnds {
    return this.#broker.ends;
  }

  publishBatch(_batch: MessageBatch, records: BatchRecords = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ records, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Drops everything queued behind a failure, as the real publisher does. */
  async #work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        this.#commit(next.records);
        next.resolve();
      } catch (error) {
        for (const { reject } of [next, ...this.#queue]) reject(error);
        this.#queue = [];
      }
    }
    this.#working = undefined;
  }

  #commit(records: BatchRecords): void {
    const fate = this.#broker.fates.shift() ?? "committed";
    if (fate instanceof Error) throw fate;
    if (fate !== "gone") {
      this.#broker.committed.push(records);
      if (records.state) this.#broker.store(records.state, this.epoch);
    }
    if (fate !== "committed") throw failed("unknown");
  }

  async hasRoom(): Promise<void> {}

  async readLatest(): Promise<StoredValue | null> {
    return this.#broker.stored;
  }

  async close(): Promise<void> {
    await this.#working;
  }
}

/** A failed attempt; `answer`: the broker's protocol error. */
export const failed = (outcome: PublishError["outcome"], answer?: string): PublishError =>
  new PublishError({
    message: `Publishing failed${answer ? `: ${answer}` : ""}`,
    topics: { browser_events: 1 },
    outcome,
    cause: Object.assign(new Error("refused"), answer ? { apiId: answer } : {}),
  });
