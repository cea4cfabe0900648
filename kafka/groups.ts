import { type MessageBatch, messagesIn } from "../contract/ports.ts";
import type { BatchRecords } from "./control-records.ts";
import { BatchEncoder } from "./encode.ts";
import type { PartitionBatches } from "./produce.ts";

/** Messages at which a transaction is full: the batch that reaches it still belongs to it. */
export const GROUP_MESSAGES = 25_000;

/** Somebody who waits until a batch is committed. */
export interface Waiting {
  readonly records: BatchRecords;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Batches that one transaction takes, encoded. */
export interface Group {
  readonly waiting: readonly Waiting[];
  readonly messages: number;
  readonly parts: readonly PartitionBatches[];
}

/**
 * Batches in the order they came, in groups for one transaction each. They are encoded as they
 * come, into few large record batches, while the transaction before is on its way.
 */
export class GroupQueue {
  readonly #encoder: BatchEncoder;
  #full: Group[] = [];
  #waiting: Waiting[] = [];
  #messages = 0;

  constructor(partitions: ReadonlyMap<string, number>, epoch: number) {
    this.#encoder = new BatchEncoder(partitions, epoch);
  }

  add(batch: MessageBatch, waiting: Waiting): void {
    this.#encoder.add(batch);
    this.#waiting.push(waiting);
    this.#messages += messagesIn(batch);
    if (this.#messages >= GROUP_MESSAGES) this.#full.push(this.#close());
  }

  /** The oldest group, full or not; undefined when nothing waits. */
  take(): Group | undefined {
    return this.#full.shift() ?? (this.#waiting.length > 0 ? this.#close() : undefined);
  }

  takeAll(): Group[] {
    const groups: Group[] = [];
    for (let group = this.take(); group; group = this.take()) groups.push(group);
    return groups;
  }

  #close(): Group {
    const group = { waiting: this.#waiting, messages: this.#messages, parts: this.#encoder.take() };
    this.#waiting = [];
    this.#messages = 0;
    return group;
  }
}
