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

/** Only "\n" ends a line, because JSON text may hold every other separator. */
export async function* readLines(file: string): AsyncGenerator<string[]> {
  // A lenient decoder would replace broken bytes. This one removes a byte order mark.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  let count = 0;
  for await (const chunk of readBytes(file)) {
    const lines = (rest + decode(decoder, chunk, file, count)).split("\n");
    rest = lines.pop() ?? "";
    count += lines.length;
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new UserError(
        `${basename(file)} has a line of more than ${MAX_LINE_CHARACTERS} characters`,
        "split or remove that line: one message per line (data/README.md)",
      );
    }
    if (lines.length > 0) yield lines;
  }
  rest += decode(decoder, undefined, file, count);
  if (rest !== "") yield [rest];
}

/** Invalid UTF-8 cannot be kept as text, so the whole file is refused. */
function decode(decoder: TextDecoder, chunk: Buffer | undefined, file: string, lines: number) {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw new UserError(
      `${basename(file)} is not UTF-8 somewhere after line ${lines}`,
      "convert the file to UTF-8 (iconv), or remove the line, and retry",
    );
  }
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
