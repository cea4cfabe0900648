import { constants, zstdCompressSync } from "node:zlib";
import { crc32c } from "@platformatic/kafka";

/** Size of a record batch header (format version 2), bytes. */
const HEADER_BYTES = 61;
/** Size at which a batch is closed, bytes; well below the default limit of brokers. */
const CLOSE_AT = 512 * 1024;
const INITIAL_BYTES = 16 * 1024;
const KEPT_BYTES = 4 * CLOSE_AT;
/** Largest timestamp difference in a batch, below the varint limit of 2^31: clocks may jump. */
const MAX_DELTA_MS = 2 ** 30;
/** Upper bound of UTF-8 bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
/** Upper bound of a record's lengths, deltas and attributes, bytes. */
const FRAME_BYTES = 32;
const ATTRIBUTE_ZSTD = 4;
const ATTRIBUTE_TRANSACTIONAL = 16;

export interface RecordBatch {
  readonly bytes: Buffer;
  readonly records: number;
}

export interface Producer {
  readonly id: bigint;
  readonly epoch: number;
}

export interface Headers {
  readonly bytes: Uint8Array;
  readonly count: number;
}

export function encodeHeader(name: string, value: string): Buffer {
  const bytes = Buffer.alloc(MAX_BYTES_PER_UNIT * (name.length + value.length) + 10);
  return bytes.subarray(0, writeText(bytes, writeText(bytes, 0, name), value));
}

/** Builder of record batches. Compresses synchronously: Node's asynchronous zstd takes three times the processor time. */
export class RecordBuilder {
  #closed: RecordBatch[] = [];
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #at = 0;
  #records = 0;
  #firstTimestamp = 0;
  #lastTimestamp = 0;
  #delta = 0;

  /** Adds a record. @param timestamp wall-clock time, ms, not before the batch's latest */
  add(key: string | null, value: string, headers: Headers, timestamp: number): void {
    const isFirst = this.#records === 0;
    const first = isFirst ? timestamp : this.#firstTimestamp;
    const last = isFirst ? timestamp : Math.max(this.#lastTimestamp, timestamp);
    this.#delta = last - first;
    const end = this.#write(key, value, headers);
    if (!isFirst && (end > CLOSE_AT || this.#delta > MAX_DELTA_MS)) {
      this.#close();
      this.add(key, value, headers, timestamp);
      return;
    }
    this.#firstTimestamp = first;
    this.#lastTimestamp = last;
    this.#at = end;
    this.#records += 1;
  }

  take(): RecordBatch[] {
    if (this.#records > 0) this.#close();
    const closed = this.#closed;
    this.#closed = [];
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    return closed;
  }

  /** Writes a record. @returns the position after the record */
  #write(key: string | null, value: string, headers: Headers): number {
    const units = value.length + (key?.length ?? 0);
    this.#reserve(MAX_BYTES_PER_UNIT * units + headers.bytes.length + FRAME_BYTES);
    // Nearly all text is ASCII, so assume one byte per unit instead of measuring.
    const end =
      this.#writeAs(key, value, headers, key?.length ?? -1, value.length) ??
      this.#writeAs(key, value, headers, bytesOf(key), bytesOf(value));
    if (end === undefined)
      throw new Error("The written size of a message differs from the measured size");
    return end;
  }

  /** Writes a record of given sizes; undefined if key or value has another size in bytes. */
  #writeAs(
    key: string | null,
    value: string,
    { bytes: headers, count }: Headers,
    keyBytes: number,
    valueBytes: number,
  ): number | undefined {
    const buffer = this.#buffer;
    const delta = this.#delta;
    const length =
      1 + // attributes
      varintSize(delta) +
      varintSize(this.#records) +
      varintSize(keyBytes) +
      Math.max(keyBytes, 0) +
      varintSize(valueBytes) +
      valueBytes +
      varintSize(count) +
      headers.length;
    let at = writeVarint(buffer, this.#at, length);
    buffer[at++] = 0;
    at = writeVarint(buffer, at, delta);
    at = writeVarint(buffer, at, this.#records);
    at = writeVarint(buffer, at, keyBytes);
    if (key !== null && buffer.write(key, at) !== keyBytes) return undefined;
    at = writeVarint(buffer, at + Math.max(keyBytes, 0), valueBytes);
    if (buffer.write(value, at) !== valueBytes) return undefined;
    at = writeVarint(buffer, at + valueBytes, count);
    buffer.set(headers, at);
    return at + headers.length;
  }

  #close(): void {
    const payload = zstdCompressSync(this.#buffer.subarray(0, this.#at), { params: FAST });
    this.#closed.push({ records: this.#records, bytes: this.#assemble(payload) });
    this.#at = 0;
    this.#records = 0;
  }

  #assemble(payload: Buffer): Buffer {
    const bytes = Buffer.alloc(HEADER_BYTES + payload.length);
    bytes.writeInt32BE(bytes.length - 12, 8);
    bytes.writeInt32BE(-1, 12); // leader epoch: set by the broker
    bytes.writeInt8(2, 16); // format version
    bytes.writeInt16BE(ATTRIBUTE_ZSTD | ATTRIBUTE_TRANSACTIONAL, 21);
    bytes.writeInt32BE(this.#records - 1, 23);
    bytes.writeBigInt64BE(BigInt(this.#firstTimestamp), 27);
    bytes.writeBigInt64BE(BigInt(this.#lastTimestamp), 35);
    bytes.writeInt32BE(this.#records, 57);
    payload.copy(bytes, HEADER_BYTES);
    return bytes;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

const FAST = { [constants.ZSTD_c_compressionLevel]: 1 };
const bytesOf = (text: string | null): number => (text === null ? -1 : Buffer.byteLength(text));

/** Writes producer, sequence number and checksum into the batch. */
export function stamp({ bytes }: RecordBatch, producer: Producer, sequence: number): void {
  bytes.writeBigInt64BE(producer.id, 43);
  bytes.writeInt16BE(producer.epoch, 51);
  bytes.writeInt32BE(sequence, 53);
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)) >>> 0, 17);
}

/** Writes the length and UTF-8 bytes of a text; returns the next position. */
function writeText(buffer: Buffer, at: number, text: string): number {
  const start = writeVarint(buffer, at, Buffer.byteLength(text));
  return start + buffer.write(text, start);
}

/** Writes a zigzag varint: -63 to 63 take one byte. */
function writeVarint(buffer: Buffer, start: number, value: number): number {
  let rest = value < 0 ? 1 : value * 2;
  let at = start;
  while (rest > 127) {
    buffer[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
}

function varintSize(value: number): number {
  if (value < 64) return 1;
  if (value < 8_192) return 2;
  if (value < 1_048_576) return 3;
  return value < 134_217_728 ? 4 : 5;
}
