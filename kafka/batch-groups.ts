import { type MessageBatch, messagesIn } from "../contract/ports.ts";
import type { BatchRecords } from "./control-records.ts";
import { BatchEncoder } from "./encode.ts";
import type { PartitionBatches } from "./produce.ts";

/**
 * Messages at which a transaction is full: the batch that reaches it still belongs to it. Half of
 * what may be open, so that one is filled while the other is on its way.
 */
export const GROUP_MESSAGES = 25_000;

/** Somebody who waits until a batch is committed. */
export interface Waiting {
  readonly records: BatchRecords;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Batches that one transaction takes. */
export interface Group {
  readonly waiting: readonly Waiting[];
  readonly messages: number;
  /** The encoded batches; throws what encoding them threw. */
  readonly parts: () => readonly PartitionBatches[];
}

/**
 * Batches in the order they came, in groups for one transaction each. They are encoded as they
 * come, into few large record batches, while the transaction before is on its way. Nothing here
 * throws: a group that could not be encoded tells when its turn comes.
 */
export class GroupQueue {
  readonly #newEncoder: () => BatchEncoder;
  /** Made when it is needed: where memory ran out, nothing else may be asked for before that is told. */
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

  /** The oldest group, full or not; undefined when nothing waits. */
  take(): Group | undefined {
    return this.#full.shift() ?? (this.#waiting.length > 0 ? this.#close() : undefined);
  }

  /** Forgets what was encoded; whoever waits for it is handed back. */
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

  /** Part of it may have been encoded: that goes with the encoder. */
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
