import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { cityHash128 } from "./city-hash.ts";
import { exception } from "./errors.ts";
import { ByteSource, decodeBlock } from "./lz4.ts";
import type { Encoder } from "./lz4-encoder.ts";
import { chunkEncoder, literalBlock } from "./lz4-encoder.ts";

/** Block format: checksum (16 bytes), method (1), size incl. header (4), content size (4). */
const CHECKSUM_BYTES = 16;
const HEADER_BYTES = 9;
const METHODS = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const;
const MAX_BYTES = 256 << 20;

/** Creates an encoder to uncompressed LZ4, which is fastest for clients on the same machine. */
export const createBlockEncoder = (): Encoder => chunkEncoder(packed);

function packed(content: Buffer): Buffer {
  const body = literalBlock(content);
  const block = Buffer.allocUnsafe(CHECKSUM_BYTES + HEADER_BYTES + body.length);
  block.writeUInt8(METHODS.lz4, CHECKSUM_BYTES);
  block.writeUInt32LE(HEADER_BYTES + body.length, CHECKSUM_BYTES + 1);
  block.writeUInt32LE(content.length, CHECKSUM_BYTES + 5);
  block.set(body, CHECKSUM_BYTES + HEADER_BYTES);
  block.set(cityHash128(block.subarray(CHECKSUM_BYTES)));
  return block;
}

/** Decodes blocks. @throws ServerException for damaged blocks and unknown methods */
export async function* decodeBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(bytes, MAX_BYTES);
  while (await source.available()) {
    const checksum = await source.take(CHECKSUM_BYTES);
    const header = Buffer.from(await source.take(HEADER_BYTES));
    const body = await source.take(Math.max(0, header.readUInt32LE(1) - HEADER_BYTES));
    if (!cityHash128(Buffer.concat([header, body])).equals(checksum)) {
      throw exception("CHECKSUM_DOESNT_MATCH", "Checksum doesn't match: corrupted data");
    }
    yield await unpacked(header.readUInt8(0), body, header.readUInt32LE(5));
  }
}

async function unpacked(method: number, body: Uint8Array, size: number): Promise<Uint8Array> {
  if (size > MAX_BYTES) {
    throw exception("TOO_LARGE_SIZE_COMPRESSED", `Block of ${size} bytes is too large`);
  }
  if (method === METHODS.none) return body;
  if (method === METHODS.lz4) return decodeBlock(body, NO_WINDOW, size);
  if (method === METHODS.zstd) return unpackedZstd(body, size);
  throw exception("UNKNOWN_COMPRESSION_METHOD", `Unknown compression method: ${method}`);
}

async function unpackedZstd(body: Uint8Array, size: number): Promise<Uint8Array> {
  try {
    return await unpackZstd(body, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw exception("ZSTD_DECODER_FAILED", `ZSTD decompression failed: ${reason}`);
  }
}

const NO_WINDOW = new Uint8Array(0);
const unpackZstd = promisify(zstdDecompress);
