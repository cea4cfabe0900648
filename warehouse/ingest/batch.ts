import type { StoredEpoch } from "./epoch-header.ts";
import { type Row, RowBuffer } from "./row-buffer.ts";

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
  /** Longest time from the first message read until the batch is stored, ms. */
  readonly ms: number;
}

/** Messages read since the last batch, and the offsets to commit once they are stored. */
export class Batch {
  readonly #buffers = new Map<string, RowBuffer>();
  readonly #next = new Map<number, bigint>();
  #rows = 0;
  #startedAt: number | undefined;

  get buffers(): Iterable<RowBuffer> {
    return this.#buffers.values();
  }

  /** Offset after the last message read, by partition. */
  get next(): ReadonlyMap<number, bigint> {
    return this.#next;
  }

  add(epoch: StoredEpoch, partition: number, row: Row): void {
    const key = `${partition} ${epoch}`;
    let buffer = this.#buffers.get(key);
    if (!buffer) {
      buffer = new RowBuffer(epoch, partition);
      this.#buffers.set(key, buffer);
    }
    buffer.add(row);
    this.#rows += 1;
  }

  moveTo(partition: number, next: bigint): void {
    this.#next.set(partition, next);
    this.#startedAt ??= performance.now();
  }

  isDue({ rows, bytes, ms }: BatchLimits): boolean {
    if (this.#startedAt === undefined) return false;
    return this.#rows >= rows || this.#size() >= bytes || performance.now() - this.#startedAt >= ms;
  }

  #size(): number {
    let size = 0;
    for (const buffer of this.#buffers.values()) size += buffer.size;
    return size;
  }
}
