import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type StreamCounts, zeroCounts } from "../../contract/defects.ts";
import type { MessageBatch, Publisher } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { formatMicros, MINUTE, type Micros } from "../../contract/time.ts";
import { type FileFacts, fileName, type Part } from "./format.ts";

const compress = promisify(gzip);
const LEVEL = { level: constants.Z_BEST_COMPRESSION };

/** Function that opens a file; tests replace it to simulate a full disk. */
export type OpenFile = (path: string) => Promise<Pick<FileHandle, "appendFile" | "close">>;
const openNew: OpenFile = (path) => open(path, "wx");

/** Gzip writer with one member per call, without name or time, so that bytes are reproducible. */
export class GzipLines {
  readonly #file: Awaited<ReturnType<OpenFile>>;
  readonly #hash: Hash = createHash("sha256");
  #lines = 0;

  private constructor(file: Awaited<ReturnType<OpenFile>>) {
    this.#file = file;
  }

  static async create(path: string, openFile: OpenFile = openNew): Promise<GzipLines> {
    return new GzipLines(await openFile(path));
  }

  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const content = `${lines.join("\n")}\n`;
    this.#hash.update(content);
    this.#lines += lines.length;
    await this.#file.appendFile(await compress(content, LEVEL));
  }

  async close(): Promise<FileFacts> {
    // A gzip file needs at least one member.
    if (this.#lines === 0) await this.#file.appendFile(await compress("", LEVEL));
    await this.#file.close();
    return { lines: this.#lines, sha256: this.#hash.digest("hex") };
  }

  async abandon(): Promise<void> {
    await this.#file.close();
  }
}

type StreamPart = Extract<Part, keyof MessageBatch | "clock">;
const STREAM_PARTS: readonly StreamPart[] = [...STREAMS, "clock"];

/** Publisher to the files of a data set. Two batches must not share a minute. */
export class DatasetPublisher implements Publisher {
  readonly #files: Readonly<Record<StreamPart, GzipLines>>;
  #facts: Partial<Record<StreamPart, FileFacts>> | null = null;

  private constructor(files: Readonly<Record<StreamPart, GzipLines>>) {
    this.#files = files;
  }

  static async create(dir: string, openFile?: OpenFile): Promise<DatasetPublisher> {
    const files: Partial<Record<StreamPart, GzipLines>> = {};
    for (const part of STREAM_PARTS) {
      files[part] = await GzipLines.create(join(dir, fileName(part)), openFile);
    }
    return new DatasetPublisher(files as Record<StreamPart, GzipLines>);
  }

  async publish(batch: MessageBatch): Promise<void> {
    for (const stream of STREAMS) await this.#files[stream].append(batch[stream].values);
    await this.#files.clock.append(clockRows(batch));
  }

  async close(): Promise<void> {
    if (this.#facts) return;
    const facts: Partial<Record<StreamPart, FileFacts>> = {};
    for (const part of STREAM_PARTS) facts[part] = await this.#files[part].close();
    this.#facts = facts;
  }

  async abandon(): Promise<void> {
    if (this.#facts) return;
    this.#facts = {};
    for (const part of STREAM_PARTS) await this.#files[part].abandon();
  }

  get facts(): Partial<Record<StreamPart, FileFacts>> {
    return this.#facts ?? {};
  }
}

function clockRows(batch: MessageBatch): string[] {
  const minutes = new Map<Micros, StreamCounts>();
  for (const stream of STREAMS) {
    for (const at of batch[stream].emittedAt) {
      if (at === null)
        throw new TypeError("Messages of a stored data set must have a time of emission");
      const minute = Math.floor(at / MINUTE) * MINUTE;
      const counts = minutes.get(minute) ?? zeroCounts();
      counts[stream] += 1;
      minutes.set(minute, counts);
    }
  }
  return [...minutes]
    .sort(([a], [b]) => a - b)
    .map(([minute, counts]) => JSON.stringify({ emitted_at: formatMicros(minute), ...counts }));
}
