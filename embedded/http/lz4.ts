import { exception } from "./errors.ts";

/** Decodes LZ4, which Node lacks. Skips checksums, because TCP has its own. */
export async function* decodeLz4(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(bytes);
  while (await source.available()) {
    const magic = await source.uint32();
    if (magic >>> 4 === 0x0184d2a5) await source.take(await source.uint32());
    else if (magic === 0x184d2204) yield* decodeFrame(source);
    else throw damaged("unknown magic number");
  }
}

const WINDOW = 65_536;
const MAX_BLOCK = 4 << 20;
/** Highest LZ4 expansion per byte; limits memory for a false size. */
const MAX_EXPANSION = 255;

async function* decodeFrame(source: ByteSource): AsyncGenerator<Uint8Array> {
  const descriptor = await source.take(2);
  const flags = byteAt(descriptor, 0);
  const largest = 1 << (8 + 2 * ((byteAt(descriptor, 1) >>> 4) & 7));
  if (flags >>> 6 !== 1) throw damaged("unknown version");
  if (flags & 1) throw damaged("dictionaries are not supported");
  await source.take((flags & 8 ? 8 : 0) + 1);
  let window: Uint8Array = new Uint8Array(0);
  for (let size = await source.uint32(); size !== 0; size = await source.uint32()) {
    const packed = await source.take(size & 0x7fffffff);
    const block = size >>> 31 ? packed : decodeBlock(packed, window, largest);
    if (flags & 16) await source.take(4);
    if (!(flags & 32)) window = Buffer.concat([window, block]).subarray(-WINDOW);
    yield block;
  }
  if (flags & 4) await source.take(4);
}

/** Decodes a block. @param window previous bytes, which the block may repeat */
export function decodeBlock(packed: Uint8Array, window: Uint8Array, largest: number): Uint8Array {
  const most = Math.min(largest, MAX_EXPANSION * packed.length);
  const out = Buffer.allocUnsafe(window.length + most);
  out.set(window);
  let to = window.length;
  let at = 0;
  const length = (nibble: number): number => {
    let total = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) {
      more = byteAt(packed, at++);
    }
    return total;
  };
  while (at < packed.length) {
    const token = byteAt(packed, at++);
    const literals = length(token >>> 4);
    if (at + literals > packed.length || to + literals > out.length) throw damaged("overrun");
    out.set(packed.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at >= packed.length) break;
    const offset = byteAt(packed, at) | (byteAt(packed, at + 1) << 8);
    at += 2;
    const count = length(token & 15) + 4;
    if (offset === 0 || offset > to || to + count > out.length) throw damaged("bad offset");
    repeat(out, to, offset, count);
    to += count;
  }
  return out.subarray(window.length, to);
}

/** Repeats earlier bytes at distance `offset`, in doubling steps if the ranges overlap. */
function repeat(out: Buffer, to: number, offset: number, count: number): void {
  const from = to - offset;
  for (let done = 0; done < count; ) {
    const step = Math.min(count - done, offset + done);
    out.copyWithin(to + done, from, from + step);
    done += step;
  }
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw damaged("unexpected end");
  return byte;
}

const damaged = (reason: string) =>
  exception("LZ4_DECODER_FAILED", `LZ4 decompression failed: ${reason}`);

export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #largest: number;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>, largest = MAX_BLOCK) {
    this.#chunks = bytes[Symbol.asyncIterator]();
    this.#largest = largest;
  }

  async available(): Promise<boolean> {
    return this.#rest.length > 0 || (await this.#pull());
  }

  async take(count: number): Promise<Uint8Array> {
    if (count > this.#largest) throw damaged("block too large");
    const parts: Uint8Array[] = [];
    let missing = count;
    while (missing > 0) {
      if (!(await this.available())) throw damaged("unexpected end");
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  async uint32(): Promise<number> {
    const four = await this.take(4);
    return new DataView(four.buffer, four.byteOffset).getUint32(0, true);
  }

  async #pull(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#rest = value;
    return value.length > 0 || this.#pull();
  }
}
