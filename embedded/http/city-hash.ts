/**
 * CityHash128 1.0.2, as in ClickHouse; later versions differ. Ported from Google's C++ original
 * (MIT license, github.com/google/cityhash).
 */

type Pair = readonly [bigint, bigint];

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const MULTIPLIER = 0x9ddfea08eb382d69n;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const add = (a: bigint, b: bigint): bigint => BigInt.asUintN(64, a + b);
const mul = (a: bigint, b: bigint): bigint => BigInt.asUintN(64, a * b);
const rotate = (value: bigint, bits: bigint): bigint =>
  u64(value >> bits) | u64(value << (64n - bits));
const shiftMix = (value: bigint): bigint => value ^ u64(value >> 47n);
const fetch64 = (view: DataView, at: number): bigint => view.getBigUint64(at, true);
const fetch32 = (view: DataView, at: number): bigint => BigInt(view.getUint32(at, true));

/** Returns the checksum of at least 8 bytes, as 16 bytes in ClickHouse's order. */
export function cityHash128(bytes: Uint8Array): Buffer {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [low, high] = hash(view);
  const out = Buffer.alloc(16);
  out.writeBigUInt64LE(low, 0);
  out.writeBigUInt64LE(high, 8);
  return out;
}

function hash(view: DataView): Pair {
  const length = view.byteLength;
  const first = fetch64(view, 0);
  if (length >= 16) {
    return withSeed(part(view, 16, length - 16), first ^ K3, fetch64(view, 8));
  }
  const last = fetch64(view, length - 8);
  return withSeed(part(view, 0, 0), first ^ mul(BigInt(length), K0), last ^ K1);
}

const part = (view: DataView, at: number, length: number): DataView =>
  new DataView(view.buffer, view.byteOffset + at, length);

function hashPair(u: bigint, v: bigint): bigint {
  const a = shiftMix(mul(u ^ v, MULTIPLIER));
  return mul(shiftMix(mul(v ^ a, MULTIPLIER)), MULTIPLIER);
}

function hashUpTo16(view: DataView): bigint {
  const length = view.byteLength;
  const n = BigInt(length);
  if (length > 8) {
    const b = fetch64(view, length - 8);
    return hashPair(fetch64(view, 0), rotate(add(b, n), n)) ^ b;
  }
  if (length >= 4) {
    return hashPair(add(mul(fetch32(view, 0), 8n), n), fetch32(view, length - 4));
  }
  if (length === 0) return K2;
  const y = BigInt(view.getUint8(0) + (view.getUint8(length >>> 1) << 8));
  const z = BigInt(length + (view.getUint8(length - 1) << 2));
  return mul(shiftMix(mul(y, K2) ^ mul(z, K3)), K2);
}

function weakHash(view: DataView, at: number, seedA: bigint, seedB: bigint): Pair {
  const z = fetch64(view, at + 24);
  const c = add(seedA, fetch64(view, at));
  const a = add(add(c, fetch64(view, at + 8)), fetch64(view, at + 16));
  const b = add(rotate(add(add(seedB, c), z), 21n), rotate(a, 44n));
  return [add(a, z), add(b, c)];
}

const murmurStep = (view: DataView, at: number): bigint =>
  mul(shiftMix(mul(fetch64(view, at), K1)), K1);

function murmur(view: DataView, seed0: bigint, seed1: bigint): Pair {
  const length = view.byteLength;
  let [a, b, c, d] = [seed0, seed1, 0n, 0n];
  if (length <= 16) {
    a = mul(shiftMix(mul(a, K1)), K1);
    c = add(mul(b, K1), hashUpTo16(view));
    d = shiftMix(add(a, length >= 8 ? fetch64(view, 0) : c));
  } else {
    c = hashPair(add(fetch64(view, length - 8), K1), a);
    d = hashPair(add(b, BigInt(length)), add(c, fetch64(view, length - 16)));
    a = add(a, d);
    for (let at = 0; at < length - 16; at += 16) {
      a = mul(a ^ murmurStep(view, at), K1);
      b ^= a;
      c = mul(c ^ murmurStep(view, at + 8), K1);
      d ^= c;
    }
  }
  a = hashPair(a, c);
  b = hashPair(d, b);
  return [a ^ b, hashPair(b, a)];
}

type State = [bigint, bigint, bigint, bigint, bigint, bigint, bigint];

/** Hashes a multiple of 64 bytes. Inlined, because V8 optimises BigInt only within a function. */
function mixWhole(view: DataView, length: number, state: State): State {
  const u = BigInt.asUintN;
  let [x, y, z, v0, v1, w0, w1] = state;
  for (let at = 0; at < length; at += 64) {
    let t = u(64, u(64, u(64, x + y) + v0) + view.getBigUint64(at + 16, true));
    x = u(64, u(64, u(64, u(64, t >> 37n) | u(64, t << 27n)) * K1) ^ w1);
    t = u(64, u(64, y + v1) + view.getBigUint64(at + 48, true));
    y = u(64, u(64, u(64, u(64, t >> 42n) | u(64, t << 22n)) * K1) ^ v0);
    t = u(64, z ^ w0);
    z = u(64, u(64, t >> 33n) | u(64, t << 31n));
    let last = view.getBigUint64(at + 24, true);
    let c = u(64, u(64, v1 * K1) + view.getBigUint64(at, true));
    let a = u(64, u(64, c + view.getBigUint64(at + 8, true)) + view.getBigUint64(at + 16, true));
    t = u(64, u(64, u(64, x + w0) + c) + last);
    t = u(64, u(64, t >> 21n) | u(64, t << 43n));
    v0 = u(64, a + last);
    v1 = u(64, u(64, t + u(64, u(64, a >> 44n) | u(64, a << 20n))) + c);
    last = view.getBigUint64(at + 56, true);
    c = u(64, u(64, z + w1) + view.getBigUint64(at + 32, true));
    a = u(64, u(64, c + view.getBigUint64(at + 40, true)) + view.getBigUint64(at + 48, true));
    t = u(64, u(64, y + c) + last);
    t = u(64, u(64, t >> 21n) | u(64, t << 43n));
    w0 = u(64, a + last);
    w1 = u(64, u(64, t + u(64, u(64, a >> 44n) | u(64, a << 20n))) + c);
    t = z;
    z = x;
    x = t;
  }
  return [x, y, z, v0, v1, w0, w1];
}

function withSeed(view: DataView, seed0: bigint, seed1: bigint): Pair {
  const length = view.byteLength;
  if (length < 128) return murmur(view, seed0, seed1);
  const seedZ = mul(K1, BigInt(length));
  const seedV = add(mul(rotate(seed1 ^ K1, 49n), K1), fetch64(view, 0));
  const whole = length - (length % 128);
  let [x, y, z, v0, v1, w0, w1] = mixWhole(view, whole, [
    seed0,
    seed1,
    seedZ,
    seedV,
    add(mul(rotate(seedV, 42n), K1), fetch64(view, 8)),
    add(mul(rotate(add(seed1, seedZ), 35n), K1), seed0),
    mul(rotate(add(seed0, fetch64(view, 88)), 53n), K1),
  ]);
  y = add(add(y, z), mul(rotate(w0, 37n), K0));
  x = add(x, mul(rotate(add(v0, z), 49n), K0));
  // Hashes the rest backwards; the last step overlaps hashed bytes.
  for (let at = length; at > whole; at -= 32) {
    y = add(mul(rotate(u64(y - x), 42n), K0), v1);
    w0 = add(w0, fetch64(view, at - 16));
    x = add(mul(rotate(x, 49n), K0), w0);
    w0 = add(w0, v0);
    [v0, v1] = weakHash(view, at - 32, v0, v1);
  }
  x = hashPair(x, v0);
  y = hashPair(y, w0);
  return [add(hashPair(add(x, v1), w1), y), hashPair(add(x, w1), add(y, v1))];
}
