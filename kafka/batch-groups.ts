import { type MessageBatch, messagesIn } from "../contract/ports.ts";
import type { BatchRecords } from "./control-records.ts";
import { BatchEncoder } from "./encode.ts";
import type { PartitionBatches } from "./produce.ts";

/** Half of the room, so that one transaction fills while the other is in flight. */
export const GROUP_MESSAGES = 25_000;

export interface Waiting {
  readonly records: BatchRecords;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Group {
  readonly waiting: readonly Waiting[];
  readonly messages: number;
  /** Throws the encoding error. */
  readonly parts: () => readonly PartitionBatches[];
}

/** Encodes batches on arrival, while the previous transaction is in flight. Never throws. */
export class GroupQueue {
  readonly #newEncoder: () => BatchEncoder;
  /** Lazy: after running out of memory, the error must be reported before allocating again. */
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

  /** The encoder may hold part of the group. */
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
