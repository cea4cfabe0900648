/** Cursor that copies the bytes it reads, with replacements. Throws RangeError past the end. */
export class Cursor {
  readonly #bytes: Buffer;
  readonly #copied: Uint8Array[] = [];
  #at = 0;
  #copiedTo = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  get position(): number {
    return this.#at;
  }

  skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError("The block ends too early");
  }

  byte(): number {
    this.skip(1);
    return this.#bytes.readUInt8(this.#at - 1);
  }

  /** Reads an 8-byte number below 2^53. */
  uint64(): number {
    this.skip(8);
    const low = this.#bytes.readUInt32LE(this.#at - 8);
    return low + this.#bytes.readUInt32LE(this.#at - 4) * 2 ** 32;
  }

  /** Reads a number in groups of 7 bits. */
  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  take(count: number): Buffer {
    this.skip(count);
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  text(): string {
    return this.take(this.varint()).toString("latin1");
  }

  /** Replaces the read bytes after `from` by `bytes`. */
  replaceSince(from: number, bytes: Uint8Array): void {
    this.#copied.push(this.#bytes.subarray(this.#copiedTo, from), bytes);
    this.#copiedTo = this.#at;
  }

  copy(): Buffer {
    this.replaceSince(this.#at, new Uint8Array(0));
    return Buffer.concat(this.#copied);
  }
}

export function lengthPrefixed(text: string): Buffer {
  const length: number[] = [];
  let rest = text.length;
  for (; rest > 127; rest = Math.floor(rest / 128)) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), Buffer.from(text, "latin1")]);
}
