import { createWriteStream, mkdtempSync, readdirSync, rmSync, type WriteStream } from "node:fs";
import { rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished, pipeline } from "node:stream/promises";

const PREFIX = "event-pipeline-http-";

const OPEN = new Set<string>();

export class Spool {
  readonly #directory: string;
  #count = 0;

  constructor(parent: string = tmpdir()) {
    removeLeftovers(parent);
    this.#directory = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
    OPEN.add(this.#directory);
  }

  path(): string {
    this.#count += 1;
    return join(this.#directory, String(this.#count));
  }

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
    OPEN.delete(this.#directory);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

export interface SpooledFile extends AsyncDisposable {
  readonly path: string;
}

/** Removes a file. Waits for a pending open, which would create the file again. */
export async function discard(file: WriteStream): Promise<void> {
  file.destroy();
  await finished(file).catch(() => undefined);
  await unlink(file.path).catch(() => undefined);
}

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(parent, name);
    const pid = Number(name.slice(PREFIX.length).split("-")[0]);
    const isOpen = pid === process.pid ? OPEN.has(path) : isAlive(pid);
    if (isOpen) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The folder belongs to another account.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
