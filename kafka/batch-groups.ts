import { type MessageBatch, messagesIn } from "../contract/ports.ts";
import type { BatchRecords } from "./control-records.ts";
import { BatchEncoder } from "./encode.ts";
import type { PartitionBatches } from "./produce.ts";

/**
 * Messages at which a transaction is full, counting the batch that reaches it. Half of the room, so
 * that one fills while the other is in flight.
 */
export const GROUP_MESSAGES = 25_000;

export interface Waiting {
  readonly records: BatchRecords;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Group {
  readonly waiting: readonly Waiting[];
  readonly messages: number;
  /** Returns the encoded batches, or throws the encoding error. */
  readonly parts: () => readonly PartitionBatches[];
}

/**
 * Groups batches, in order, into transactions. Encodes them on arrival into few large record
 * batches, while the previous transaction is in flight. Never throws: `parts` reports an encoding
 * error.
 */
export class GroupQueue {
  readonly #newEncoder: () => BatchEncoder;
  /**
   * Created lazily: after running out of memory, the error must be reported before allocating
   * again.
   */
  #encoder: BatchEncoder | undefined;
  #full: Group[] = [];
  #waiting: Waiting[] = [];
  #messages = 0;

  constructor(partitions: ReadonlyMap<string, number>, epoch: number) {
    this.#newEncoder = () => new BatchEncoder(partitions, epoch);
  }

  add(batch: MessageBatch, waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#messages += messagesIn(batch);
    try {
      this.#encoder ??= this.#newEncoder();
      this.#encoder.add(batch);
    } catch (error) {
      this.#full.push(this.#failed(error));
    }
    if (this.#messages >= GROUP_MESSAGES) this.#full.push(this.#close());
  }

  /** Returns the oldest group, full or not; undefined if none waits. */
  take(): Group | undefined {
    return this.#full.shift() ?? (this.#waiting.length > 0 ? this.#close() : undefined);
  }

  /** Drops all groups and returns them, for their callers to be rejected. */
  drop(): Group[] {
    const dropped = [...this.#full, this.#failed(new Error("The group was dropped"))];
    this.#full = [];
    return dropped;
  }

  #close(): Group {
    try {
      const parts = this.#encoder?.take() ?? [];
      return this.#leave(() => parts);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Drops the encoder, which may hold part of the group. */
  #failed(error: unknown): Group {
    this.#encoder = undefined;
    return this.#leave(() => {
      throw error;
    });
  }

  #leave(parts: Group["parts"]): Group {
    const group = { waiting: this.#waiting, messages: this.#messages, parts };
    this.#waiting = [];
    this.#messages = 0;
    return group;
  }
}
