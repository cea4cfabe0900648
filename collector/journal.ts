import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/** A hit, or a request that is none, as the journal keeps it. */
export interface Row {
  readonly protocol: string;
  /** Time of the request, milliseconds since 1970. */
  readonly received: number;
  /** Why the request is no hit; empty for a hit. */
  readonly reason: string;
  /** Event as JSON, or the body of a request that is no hit. */
  readonly body: string;
}

/** A file of rows that is complete: JSON lines with a number each. */
export interface Segment {
  readonly file: string;
  /** Number of the first row. */
  readonly first: number;
  readonly rows: number;
  readonly bytes: number;
  /** Time of the first row, milliseconds since 1970. */
  readonly since: number;
}

export interface JournalOptions {
  /** Number of the next row, if the folder has none. */
  readonly next: number;
  readonly maxBytes: number;
  readonly onStored?: (rows: readonly Row[]) => void;
}

/** The journal has no room for more rows until some are delivered. */
export class JournalFull extends Error {}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Keeps rows in files until they are delivered. A row is stored when `append` resolves, also through a kill of the
 * process or the machine. Rows are numbered without gaps.
 */
export class Journal {
  readonly #dir: string;
  readonly #options: JournalOptions;
  #sealed: Segment[];
  #bytes: number;
  #next: number;
  #file: FileHandle | undefined;
  #active: Segment | undefined;
  #lines: string[] = [];
  /** Bytes of the rows that are not written. */
  #queued = 0;
  #waiters: Waiter[] = [];
  /** Writes and changes of files, one after another. */
  #work: Promise<void> = Promise.resolve();
  #isFlushing = false;

  constructor(dir: string, options: JournalOptions) {
    mkdirSync(dir, { recursive: true });
    this.#dir = dir;
    this.#options = options;
    this.#sealed = segmentsIn(dir).filter(({ rows, file }) => {
      if (rows === 0) rmSync(file);
      return rows > 0;
    });
    this.#bytes = this.#sealed.reduce((sum, { bytes }) => sum + bytes, 0);
    const last = this.#sealed.at(-1);
    this.#next = last ? last.first + last.rows : options.next;
  }

  /** Number after the last row that is stored. */
  get end(): number {
    return this.#next;
  }

  /** Number of the first row that is not delivered. */
  get begin(): number {
    return this.#first?.first ?? this.#next;
  }

  /** Time of the first row that is not delivered; undefined if none waits. */
  get since(): number | undefined {
    return this.begin < this.end ? this.#first?.since : undefined;
  }

  /** Bytes of the rows that are not delivered. */
  get bytes(): number {
    return this.#bytes;
  }

  get #first(): Segment | undefined {
    return this.#sealed[0] ?? this.#active;
  }

  /** Resolves when the rows are on the disk. @throws JournalFull */
  append(rows: readonly Row[]): Promise<void> {
    const isFull = this.#bytes + this.#queued >= this.#options.maxBytes;
    if (isFull || this.#queued >= QUEUE_BYTES) return Promise.reject(new JournalFull());
    const lines = rows.map(lineOf);
    this.#queued += bytesOf(lines);
    for (const line of lines) this.#lines.push(line);
    return new Promise((resolve, reject) => {
      const stored = (): void => {
        this.#options.onStored?.(rows);
        resolve();
      };
      this.#waiters.push({ resolve: stored, reject });
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      this.#work = this.#work.then(() => this.#flushAll());
    });
  }

  /** Returns the oldest complete file. Without one, it completes the current file. */
  async oldest(): Promise<Segment | undefined> {
    if (this.#sealed.length === 0) {
      this.#work = this.#work.then(() => this.#seal());
      await this.#work;
    }
    return this.#sealed[0];
  }

  /** Deletes a file whose rows are delivered. */
  delivered(segment: Segment): void {
    rmSync(segment.file);
    this.#sealed = this.#sealed.filter((one) => one !== segment);
    this.#bytes -= segment.bytes;
  }

  async close(): Promise<void> {
    await this.#work;
    await this.#file?.close();
  }

  /** One write and one sync store the rows of all requests that wait. */
  async #flushAll(): Promise<void> {
    while (this.#waiters.length > 0) {
      const [lines, waiters] = [this.#lines, this.#waiters];
      [this.#lines, this.#waiters] = [[], []];
      try {
        await this.#write(lines);
        for (const { resolve } of waiters) resolve();
      } catch (error) {
        for (const { reject } of waiters) reject(error as Error);
      } finally {
        this.#queued -= bytesOf(lines);
      }
    }
    this.#isFlushing = false;
  }

  async #write(lines: readonly string[]): Promise<void> {
    const first = this.#next;
    this.#active ??= await this.#create(first);
    const active = this.#active;
    const data = Buffer.from(lines.map((line, i) => `{"number":${first + i},${line}`).join(""));
    try {
      await this.#file?.write(data, 0, data.length, active.bytes);
      await this.#file?.datasync();
    } catch (error) {
      // What a full disk took of the rows must not be read.
      await this.#file?.truncate(active.bytes).catch(() => undefined);
      throw error;
    }
    this.#next += lines.length;
    this.#bytes += data.length;
    const rows = active.rows + lines.length;
    const bytes = active.bytes + data.length;
    this.#active = { ...active, rows, bytes };
    if (bytes >= SEGMENT_BYTES) await this.#seal();
  }

  async #create(first: number): Promise<Segment> {
    const file = join(this.#dir, `${String(first).padStart(12, "0")}${ENDING}`);
    this.#file = await open(file, "w");
    const folder = await open(this.#dir);
    await folder.sync().finally(() => folder.close());
    return { file, first, rows: 0, bytes: 0, since: Date.now() };
  }

  async #seal(): Promise<void> {
    if (this.#active === undefined || this.#active.rows === 0) return;
    await this.#file?.close();
    this.#sealed.push(this.#active);
    this.#active = undefined;
  }
}

const ENDING = ".jsonl";

/** Bounds what is delivered at once after the destination was away. */
const SEGMENT_BYTES = 4 * 1024 * 1024;

/** Bounds the memory while the disk is slow. */
const QUEUE_BYTES = 32 * 1024 * 1024;

const bytesOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);

/** Returns a line without its beginning, the number. */
const lineOf = (row: Row): string => `${JSON.stringify(row).slice(1)}\n`;

function segmentsIn(dir: string): Segment[] {
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith(ENDING)) : [];
  return names.sort().map((name) => {
    const file = join(dir, name);
    const text = readFileSync(file);
    // A kill in the middle of a write leaves a part of a line, whose request was not answered.
    const bytes = text.lastIndexOf("\n") + 1;
    if (bytes < text.length) truncateSync(file, bytes);
    const lines = text.toString("utf8", 0, bytes).split("\n");
    const { received: since } = bytes > 0 ? JSON.parse(lines[0] ?? "") : { received: 0 };
    return { file, first: Number.parseInt(name, 10), rows: lines.length - 1, bytes, since };
  });
}
