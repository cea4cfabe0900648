const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Returns Kafka's hash of a key (32-bit murmur2). @param length bytes of `key` to hash */
export function murmur2(key: Uint8Array, length = key.length): number {
  let hash = SEED ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    hash = Math.imul(hash, M) ^ mix(littleEndian(key, at, 4));
  }
  if (at < length) hash = Math.imul(hash ^ littleEndian(key, at, length - at), M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

const scratch = Buffer.allocUnsafeSlow(1_024);

/** Clears the sign bit, as Java's default partitioner does. */
const positive = (hash: number): number => hash & 0x7fffffff;

/** Partitioner compatible with Java's default. Cached, because a session's messages share a key. */
export class Partitioner {
  readonly #hashes = new Map<string, number>();

  partitionOf(key: string, partitions: number): number {
    let hash = this.#hashes.get(key);
    if (hash === undefined) {
      hash = positive(hashOf(key));
      this.#hashes.set(key, hash);
    }
    return hash % partitions;
  }
}

function hashOf(key: string): number {
  if (key.length * 3 > scratch.length) return murmur2(Buffer.from(key));
  return murmur2(scratch, scratch.write(key));
}

function mix(word: number): number {
  const product = Math.imul(word, M);
  return Math.imul(product ^ (product >>> 24), M);
}

function littleEndian(key: Uint8Array, at: number, count: number): number {
  let word = 0;
  for (let index = count - 1; index >= 0; index -= 1) word = (word << 8) | (key[at + index] ?? 0);
  return word;
}
