import { createWriteStream, mkdtempSync, type WriteStream } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished, pipeline } from "node:stream/promises";

/** Temporary files of one HTTP interface: bodies on their way in, large results on their way out. */
export class Spool {
  readonly #directory: string;
  #count = 0;

  constructor(parent: string = tmpdir()) {
    this.#directory = mkdtempSync(join(parent, `event-pipeline-http-${process.pid}-`));
  }

  /** Path of a file that does not exist yet. */
  path(): string {
    this.#count += 1;
    return join(this.#directory, String(this.#count));
  }

  /** Writes all bytes to a new file. A failure half way leaves no file behind. */
  async write(bytes: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
    const file = createWriteStream(this.path());
    try {
      await pipeline(bytes, file);
    } catch (error) {
      await discard(file);
      throw error;
    }
    return { path: String(file.path), [Symbol.asyncDispose]: () => discard(file) };
  }

  async close(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** A file that goes away with the scope that holds it. */
export interface SpooledFile extends AsyncDisposable {
  readonly path: string;
}

/** Removes a file once it is closed: one that is still being opened would be created afterwards. */
export async function discard(file: WriteStream): Promise<void> {
  file.destroy();
  await finished(file).catch(() => undefined);
  await unlink(file.path).catch(() => undefined);
}
