import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pipeline } from "node:stream";
import { TextDecoder } from "node:util";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { UserError } from "../../contract/errors.ts";
import { readFailure } from "../../contract/files.ts";

/** Longest allowed line; a broker would accept no longer message. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

const reportedByReader = () => {};

const UNPACK: Readonly<Record<string, (file: string) => AsyncIterable<Buffer>>> = {
  ".gz": (file) => pipeline(createReadStream(file), createGunzip(), reportedByReader),
  ".zst": unpackZstd,
};

/** Node's decompressor ends with the first frame of a file, which can have several. */
async function* unpackZstd(file: string): AsyncGenerator<Buffer> {
  const { size } = await stat(file);
  for (let start = 0; start < size; ) {
    const frame = createZstdDecompress();
    yield* pipeline(createReadStream(file, { start }), frame, reportedByReader);
    start += frame.bytesWritten;
  }
}

async function* readBytes(file: string): AsyncGenerator<Buffer> {
  const bytes = UNPACK[extname(file)]?.(file) ?? createReadStream(file);
  try {
    for await (const chunk of bytes) yield chunk as Buffer;
  } catch (error) {
    const known = readFailure(error, file);
    if (known) throw known;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `${basename(file)} cannot be read: ${reason}`,
      "restore the file and retry",
    );
  }
}

/**
 * Decodes a file without the byte order mark.
 * @throws UserError for invalid UTF-8
 */
async function* readText(
  file: string,
  onBytes: (bytes: Buffer) => void = () => {},
): AsyncGenerator<string> {
  // Without `fatal`, the decoder replaces invalid bytes.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  try {
    for await (const chunk of readBytes(file)) {
      if (isFirst && isUtf16(chunk)) throw notUtf8(file, "UTF-16");
      isFirst = false;
      yield decoder.decode(chunk, { stream: true });
      onBytes(chunk);
    }
    yield decoder.decode();
  } catch (error) {
    if (!isBrokenText(error)) throw error;
    throw new UserError(
      `${basename(file)} is not UTF-8 in line ${await firstBrokenLine(file)}`,
      "convert the file to UTF-8 (iconv -f WINDOWS-1252 -t UTF-8), or remove the line, and retry",
    );
  }
}

/** Detects the byte order mark, or the zero bytes of Latin letters, also after a wrong conversion. */
const isUtf16 = (start: Buffer): boolean =>
  /^(?:\xff\xfe|\xfe\xff)/.test(start.toString("latin1", 0, 2)) || start.subarray(0, 8).includes(0);

const notUtf8 = (file: string, encoding: string): UserError =>
  new UserError(
    `${basename(file)} is ${encoding}. Allowed: UTF-8`,
    `convert the original file: iconv -f ${encoding} -t UTF-8 ${basename(file)} > NEW_FILE`,
  );

const isBrokenText = (error: unknown): boolean =>
  error instanceof TypeError &&
  "code" in error &&
  error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";

/** Finds the first invalid line by reading again, because the decoder reports no position. */
async function firstBrokenLine(file: string): Promise<number> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of readBytes(file)) {
    const bytes = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", from)) {
      if (!isUtf8(bytes.subarray(from, end))) return line;
      line += 1;
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  return line;
}

/** Yields lines. Only "\n" ends a line, because JSON text may contain other separators. */
export async function* readLines(
  file: string,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<string[]> {
  let rest = "";
  for await (const text of readText(file, onBytes)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new UserError(
        `${basename(file)} has a line of more than ${MAX_LINE_CHARACTERS} characters`,
        "split or remove that line: one message per line (docs/how-to/load-your-own-clickstream.md)",
      );
    }
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") yield [rest];
}

export class LineCursor {
  readonly #source: AsyncGenerator<string[]>;
  #lines: string[] = [];
  #next = 0;

  constructor(file: string) {
    this.#source = readLines(file);
  }

  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count && (await this.#fill())) {
      const to = Math.min(this.#lines.length, this.#next + count - taken.length);
      for (; this.#next < to; this.#next += 1) taken.push(this.#lines[this.#next] ?? "");
    }
    return taken;
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }

  async #fill(): Promise<boolean> {
    while (this.#next >= this.#lines.length) {
      const { value, done } = await this.#source.next();
      if (done) return false;
      this.#lines = value;
      this.#next = 0;
    }
    return true;
  }
}
