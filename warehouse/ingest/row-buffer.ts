import type { StoredEpoch } from "./epoch-header.ts";

/** Columns of `stg.<stream>_queue` in the order of `RowBuffer.add`. */
export const ROW_STRUCTURE =
  "epoch UInt64, _partition Int32, _offset Int64, _key String, raw String, emitted_at String, timestamp_ms Int64";

const INITIAL_BYTES = 64 * 1024;
/** Upper bound of a row's fixed-width columns and of the lengths of its three texts, bytes. */
const FRAME_BYTES = 48;
const NOTHING = Buffer.alloc(0);

export interface Row {
  readonly offset: bigint;
  /** Wall-clock time, ms; -1 for none. */
  readonly timestamp: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly emittedAt: Buffer | undefined;
}

/** Rows of one epoch and partition in RowBinary, in the order of their offsets. */
export class RowBuffer {
  readonly epoch: StoredEpoch;
  readonly partition: number;
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #at = 0;
  readonly #offsets: bigint[] = [];
  readonly #ends: number[] = [];

  constructor(epoch: StoredEpoch, partition: number) {
    this.epoch = epoch;
    this.partition = partition;
  }

  get rows(): number {
    return this.#offsets.length;
  }

  get size(): number {
    return this.#at;
  }

  get offsets(): readonly bigint[] {
    return this.#offsets;
  }

  add({ offset, timestamp, key, value, emittedAt }: Row): void {
    const keyBytes = key ?? NOTHING;
    const emitted = emittedAt ?? NOTHING;
    this.#reserve(FRAME_BYTES + keyBytes.length + value.length + emitted.length);
    const bytes = this.#bytes;
    let at = bytes.writeBigUInt64LE(this.epoch, this.#at);
    at = bytes.writeInt32LE(this.partition, at);
    at = bytes.writeBigInt64LE(offset, at);
    at = writeText(bytes, at, keyBytes);
    at = writeText(bytes, at, value);
    at = writeText(bytes, at, emitted);
    this.#at = bytes.writeBigInt64LE(timestamp, at);
    this.#offsets.push(offset);
    this.#ends.push(this.#at);
  }

  /** Returns the rows after an offset in RowBinary. */
  after(offset: bigint): Buffer {
    const kept = this.#offsets.findIndex((own) => own > offset);
    const from = kept === 0 ? 0 : (this.#ends[kept - 1] ?? this.#at);
    return this.#bytes.subarray(kept < 0 ? this.#at : from, this.#at);
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function writeText(bytes: Buffer, start: number, text: Buffer): number {
  let at = start;
  let rest = text.length;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at + text.copy(bytes, at);
}
