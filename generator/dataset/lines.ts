import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import { pipeline, Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { UserError } from "../../contract/errors.ts";
import { readFailure } from "../../contract/files.ts";

/** Longest allowed line; a broker would accept no longer message. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

const reportedByReader = () => {};

const UNPACK: Readonly<Record<string, (raw: Readable) => AsyncIterable<Buffer>>> = {
  ".gz": (raw) => pipeline(raw, createGunzip(), reportedByReader),
  ".zst": unpackZstd,
};

/** Node's decompressor ends with the first frame of a file, which can have several. */
async function* unpackZstd(raw: Readable): AsyncGenerator<Buffer> {
  const source: AsyncIterator<Buffer> = raw[Symbol.asyncIterator]();
  let next = source.next();
  try {
    for (let rest: Buffer = Buffer.alloc(0); rest.length > 0 || !(await next).done; ) {
      const frame = createZstdDecompress();
      let isOver = false;
      // What the frame was given, without the part that it has read.
      let unread = rest;
      let given = rest.length;
      const feed = async function* (): AsyncGenerator<Buffer> {
        if (rest.length > 0) yield rest;
        for (;;) {
          const { value, done } = await next;
          // The chunk is for the next frame if this one has ended in the meantime.
          if (isOver || done) return;
          next = source.next();
          unread = Buffer.concat([
            unread.subarray(unread.length - given + frame.bytesWritten),
            value,
          ]);
          given += value.length;
          yield value;
        }
      };
      const unpacked = pipeline(Readable.from(feed()), frame, reportedByReader);
      for await (const bytes of unpacked) yield bytes as Buffer;
      isOver = true;
      rest = unread.subarray(unread.length - given + frame.bytesWritten);
    }
  } finally {
    raw.destroy();
  }
}

export async function* readBytes(file: string): AsyncGenerator<Buffer> {
  const raw = createReadStream(file);
  const bytes = UNPACK[extname(file)]?.(raw) ?? raw;
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
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<string> {
  // Without `fatal`, the decoder replaces invalid bytes.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  try {
    for await (const chunk of readBytes(file)) {
      if (isFirst && isUtf16(chunk)) throw notUtf8(file, "UTF-16");
      isFirst = false;
      yield decoder.decode(chunk, { stream: true });
      onBytes(chunk.length);
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
  onBytes?: (count: number) => void,
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
