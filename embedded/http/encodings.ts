import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createGunzip,
  createGzip,
  createInflate,
  createZstdCompress,
  createZstdDecompress,
} from "node:zlib";
import { createBlockEncoder, decodeBlocks } from "./compressed-blocks.ts";
import { type ExceptionType, exception } from "./errors.ts";
import { decodeLz4 } from "./lz4.ts";
import { createLz4Encoder, type Encoder } from "./lz4-encoder.ts";
import type { Transport } from "./parameters.ts";

interface Decoder {
  readonly create: () => Transform;
  readonly failure: ExceptionType;
}

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: { create: createGunzip, failure: "ZLIB_INFLATE_FAILED" },
  deflate: { create: createInflate, failure: "ZLIB_INFLATE_FAILED" },
  br: { create: createBrotliDecompress, failure: "BROTLI_READ_FAILED" },
  zstd: { create: createZstdDecompress, failure: "ZSTD_DECODER_FAILED" },
};

export function decodedBody(
  request: IncomingMessage,
  decompress = false,
): AsyncIterable<Uint8Array> {
  const body = decodedContent(request);
  return decompress ? decodeBlocks(body) : body;
}

function decodedContent(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity" || encoding === "none") return request;
  if (encoding === "lz4") return decodeLz4(request);
  const decoder = DECODERS[encoding];
  if (decoder) return decode(request, decoder);
  throw exception(
    "NOT_IMPLEMENTED",
    `Unknown compression method '${encoding}'. Only 'none', 'gzip', 'deflate', 'br', 'zstd', ` +
      "'lz4' are supported as compression methods of a request body",
  );
}

async function* decode(request: IncomingMessage, decoder: Decoder): AsyncGenerator<Uint8Array> {
  const stream = request.pipe(decoder.create());
  const onLost = (): void => {
    if (!request.complete) stream.destroy(new Error("the client closed the connection"));
  };
  request.once("close", onLost);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw exception(decoder.failure, `The request body cannot be decompressed: ${reason}`);
  } finally {
    request.off("close", onLost);
    request.unpipe(stream);
  }
}

const ENCODERS: Readonly<Record<string, (level: number) => Encoder>> = {
  zstd: (level) => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: level } }),
  br: (level) =>
    createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: Math.min(level, 11) } }),
  gzip: (level) => createGzip({ level: Math.min(level, 9) }),
  deflate: (level) => createDeflate({ level: Math.min(level, 9) }),
  lz4: createLz4Encoder,
};

export interface Encoding {
  /** Content-Encoding; undefined for ClickHouse's blocks. */
  readonly name: string | undefined;
  create(): Encoder;
}

export function chooseEncoding(
  { compress, compressBlocks, compressionLevel }: Transport,
  acceptEncoding: string | undefined,
): Encoding | undefined {
  if (compressBlocks) return { name: undefined, create: createBlockEncoder };
  const accepted = compress ? acceptedNames(acceptEncoding ?? "") : new Set();
  // ENCODERS has the server's order of preference.
  const found = Object.entries(ENCODERS).find(([name]) => accepted.has(name));
  if (found === undefined) return undefined;
  const [name, create] = found;
  return { name, create: () => create(Math.max(1, compressionLevel)) };
}

const acceptedNames = (header: string): Set<string> =>
  new Set(
    header.split(",").flatMap((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      return parameters.some((text) => /^q=0(\.0*)?$/.test(text)) ? [] : [name];
    }),
  );
