import { Transform } from "node:stream";

export type Encoder = Transform & { flush(done: () => void): void };

const CONTENT_BYTES = 1 << 20;

/** Creates an encoder of independent chunks of at most 1 MiB. */
export function chunkEncoder(pack: (content: Buffer) => Buffer, last?: Buffer): Encoder {
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; at += CONTENT_BYTES) {
        stream.push(pack(chunk.subarray(at, at + CONTENT_BYTES)));
      }
      done();
    },
    final(done) {
      if (last) stream.push(last);
      done();
    },
  });
  return Object.assign(stream, { flush: (done: () => void) => done() });
}

export function literalBlock(bytes: Uint8Array): Buffer {
  const more = bytes.length - 15;
  if (more < 0) return Buffer.concat([Buffer.of(bytes.length << 4), bytes]);
  const lengths = Buffer.alloc(Math.floor(more / 255), 255);
  return Buffer.concat([Buffer.of(0xf0), lengths, Buffer.of(more % 255), bytes]);
}

/** Frame header: magic number, version 1, independent blocks of at most 4 MiB, checksum. */
const FRAME = Buffer.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73);
const END = Buffer.alloc(4);

/** Creates an encoder to uncompressed LZ4 blocks, because Node cannot compress LZ4. */
export function createLz4Encoder(): Encoder {
  const stream = chunkEncoder((content) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE((content.length | 0x80000000) >>> 0);
    return Buffer.concat([size, content]);
  }, END);
  stream.push(FRAME);
  return stream;
}
