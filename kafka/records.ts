import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { crc32c } from "@platformatic/kafka";

/** Bytes of a record batch before its records (format version 2). */
const HEADER_BYTES = 61;
/** Uncompressed size at which a batch is closed: well below what any broker takes. */
const CLOSE_AT = 512 * 1024;
const INITIAL_BYTES = 16 * 1024;
const ATTRIBUTE_ZSTD = 4;
const ATTRIBUTE_TRANSACTIONAL = 16;

/** Records of one partition, compressed; who sends them is written by `stamp`. */
export interface RecordBatch {
  readonly bytes: Buffer;
  readonly records: number;
}

/** Identity under which a broker accepts a batch once and in order. */
export interface Producer {
  readonly id: bigint;
  readonly epoch: number;
}

/** Header of a record as it stands on the wire: name and value, each after its length. */
export function encodeHeader(name: string, value: string): Buffer {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const bytes = Buffer.alloc(nameBytes.length + valueBytes.length + 10);
  let at = writeVarint(bytes, 0, nameBytes.length);
  at += nameBytes.copy(bytes, at);
  at = writeVarint(bytes, at, valueBytes.length);
  at += valueBytes.copy(bytes, at);
  return bytes.subarray(0, at);
}

/** Collects the records of one partition, in order, into batches of limited size. */
export class RecordBuilder {
  readonly #timestamp: number;
  readonly #closed: { records: number; payload: Buffer }[] = [];
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #at = 0;
  #records = 0;

  /** `timestamp`: wall time of all records, milliseconds since the Unix epoch. */
  constructor(timestamp: number) {
    this.#timestamp = timestamp;
  }

  /** `headers`: wire form of `count` headers. */
  add(key: string | null, value: string, headers: Buffer, count: number): void {
    const keyBytes = key === null ? -1 : Buffer.byteLength(key);
    const valueBytes = Buffer.byteLength(value);
    const length =
      2 +
      varintSize(this.#records) +
      varintSize(keyBytes) +
      Math.max(keyBytes, 0) +
      varintSize(valueBytes) +
      valueBytes +
      varintSize(count) +
      headers.length;
    if (this.#at > 0 && this.#at + length > CLOSE_AT) {
      this.#close();
      this.add(key, value, headers, count);
      return;
    }
    this.#reserve(length + 5);
    const buffer = this.#buffer;
    let at = writeVarint(buffer, this.#at, length);
    buffer[at++] = 0; // attributes
    buffer[at++] = 0; // the same timestamp as the batch
    at = writeVarint(buffer, at, this.#records);
    at = writeVarint(buffer, at, keyBytes);
    if (key !== null) at += buffer.write(key, at);
    at = writeVarint(buffer, at, valueBytes);
    at += buffer.write(value, at);
    at = writeVarint(buffer, at, count);
    this.#at = at + headers.copy(buffer, at);
    this.#records += 1;
  }

  /** Compressed on the thread pool, beside whatever this thread does meanwhile. */
  async finish(): Promise<RecordBatch[]> {
    if (this.#records > 0) this.#close();
    const timestamp = BigInt(this.#timestamp);
    return Promise.all(
      this.#closed.map(async ({ records, payload }) => ({
        records,
        bytes: assemble(await compress(payload, { params: FAST }), records, timestamp),
      })),
    );
  }

  #close(): void {
    this.#closed.push({ records: this.#records, payload: this.#buffer.subarray(0, this.#at) });
    this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
    this.#at = 0;
    this.#records = 0;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

const compress = promisify(zstdCompress);
const FAST = { [constants.ZSTD_c_compressionLevel]: 1 };

function assemble(payload: Buffer, records: number, timestamp: bigint): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes.writeInt32BE(-1, 12); // leader epoch: set by the broker
  bytes.writeInt8(2, 16); // format version
  bytes.writeInt16BE(ATTRIBUTE_ZSTD | ATTRIBUTE_TRANSACTIONAL, 21);
  bytes.writeInt32BE(records - 1, 23);
  bytes.writeBigInt64BE(timestamp, 27);
  bytes.writeBigInt64BE(timestamp, 35);
  bytes.writeInt32BE(records, 57);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

/** Writes sender and sequence number in place, and the checksum over them. */
export function stamp({ bytes }: RecordBatch, producer: Producer, sequence: number): void {
  bytes.writeBigInt64BE(producer.id, 43);
  bytes.writeInt16BE(producer.epoch, 51);
  bytes.writeInt32BE(sequence, 53);
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)) >>> 0, 17);
}

/** Zigzag: -1 and 0 to 63 take one byte. */
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
