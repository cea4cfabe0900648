const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Kafka's hash of a key (32-bit murmur2), so that every client puts a key into one partition. */
export function murmur2(key: Uint8Array): number {
  const { length } = key;
  let hash = SEED ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    hash = Math.imul(hash, M) ^ mix(littleEndian(key, at, 4));
  }
  if (at < length) hash = Math.imul(hash ^ littleEndian(key, at, length - at), M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

/** Partition of a key, as Java's default partitioner chooses it. */
export const partitionOf = (key: Uint8Array, partitions: number): number =>
  (murmur2(key) & 0x7fffffff) % partitions;

function mix(word: number): number {
  const product = Math.imul(word, M);
  return Math.imul(product ^ (product >>> 24), M);
}

function littleEndian(key: Uint8Array, at: number, count: number): number {
  let word = 0;
  for (let index = count - 1; index >= 0; index -= 1) word = (word << 8) | (key[at + index] ?? 0);
  return word;
}
