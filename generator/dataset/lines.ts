import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { createGunzip } from "node:zlib";
import { UserError } from "../../contract/errors.ts";

/** Longer than any message a broker accepts: such a file is not JSON lines. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

const reportedByReader = () => {};

export async function* readBytes(file: string): AsyncGenerator<Buffer> {
  const raw = createReadStream(file);
  const bytes: Readable = file.endsWith(".gz")
    ? pipeline(raw, createGunzip(), reportedByReader)
    : raw;
  try {
    for await (const chunk of bytes) yield chunk as Buffer;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `${basename(file)} cannot be read: ${reason}`,
      "restore the file and retry",
    );
  }
}

/**
 * Decodes a file, without its byte order mark.
 * @throws UserError for invalid UTF-8, which cannot be kept as text
 */
export async function* readText(
  file: string,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<string> {
  // A lenient decoder would replace broken bytes.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of readBytes(file)) {
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

const isBrokenText = (error: unknown): boolean =>
  error instanceof TypeError &&
  "code" in error &&
  error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";

/** Reads the file again, line by line; the decoder does not report where it stopped. */
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

/** Only "\n" ends a line, because JSON text may hold every other separator. */
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
        "split or remove that line: one message per line (data/README.md)",
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
