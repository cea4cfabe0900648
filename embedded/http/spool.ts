import { createWriteStream, mkdtempSync } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

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
    const path = this.path();
    try {
      await pipeline(bytes, createWriteStream(path));
    } catch (error) {
      await discard(path);
      throw error;
    }
    return { path, [Symbol.asyncDispose]: () => discard(path) };
  }

  async close(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** A file that goes away with the scope that holds it. */
export interface SpooledFile extends AsyncDisposable {
  readonly path: string;
}

export const discard = (path: string): Promise<void> => unlink(path).catch(() => undefined);
