import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";

interface PayloadHash {
  /** SHA-256 of the lines joined by newlines, hex; depends on the order. */
  readonly digest: string;
  /** Sum of the lines' 64-bit hashes modulo 2^64; independent of the order. XOR would miss lines that are there twice. */
  readonly sum: bigint;
}

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;
const WORD = 2 ** 32;
/** Upper bound of UTF-8 bytes per UTF-16 unit. */
const BYTES_PER_UNIT = 3;

let scratch = Buffer.allocUnsafeSlow(CHUNK_BYTES);
let view = viewOf(scratch);

/** Hashes lines like `sql/history/payload_sum.sql` (AdHash; not safe against forgery). */
export function hashPayloads(lines: readonly string[]): PayloadHash {
  const hash = createHash("sha256");
  // Two 32-bit words, because 64-bit arithmetic is slower than the hashes.
  let upper = 0;
  let lower = 0;
  let at = 0;
  let isFirst = true;
  for (const line of lines) {
    at = makeRoom(hash, at, line.length * BYTES_PER_UNIT + 1);
    if (!isFirst) scratch[at++] = NEWLINE;
    isFirst = false;
    const end = at + scratch.write(line, at);
    lower += murmurHash3(view, at, end);
    const carry = lower < WORD ? 0 : 1;
    lower -= carry * WORD;
    upper = (upper + crc32(line) + carry) >>> 0;
    at = end;
  }
  const digest = hash.update(scratch.subarray(0, at)).digest("hex");
  return { digest, sum: (BigInt(upper) << 32n) + BigInt(lower) };
}

function makeRoom(hash: Hash, at: number, bytes: number): number {
  if (at + bytes <= scratch.length) return at;
  hash.update(scratch.subarray(0, at));
  if (bytes > scratch.length) {
    scratch = Buffer.allocUnsafeSlow(bytes);
    view = viewOf(scratch);
  }
  return 0;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export const formatSum = (sum: bigint): string => sum.toString(16).padStart(16, "0");

export const addToSum = (sum: string, more: bigint): string =>
  formatSum(BigInt.asUintN(64, BigInt(`0x${sum}`) + more));

/** Returns MurmurHash3_x86_32 with seed 0 of the bytes [from, to). */
function murmurHash3(bytes: DataView, from: number, to: number): number {
  const words = from + ((to - from) & ~3);
  let h = 0;
  for (let at = from; at < words; at += 4) {
    h ^= mixWord(bytes.getInt32(at, true));
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = to - 1; at >= words; at -= 1) rest = (rest << 8) | bytes.getUint8(at);
  h ^= mixWord(rest) ^ (to - from);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function mixWord(word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}
