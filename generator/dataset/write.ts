import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type StreamCounts, zeroCounts } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder } from "../../contract/files.ts";
import type { MessageBatch, Publisher } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { formatMicros, MINUTE, type Micros } from "../../contract/time.ts";
import { type BackfillConfig, type BackfillOptions, runBackfill } from "../backfill.ts";
import type { DonorPool } from "../model/donors.ts";
import {
  DATASET_FORMAT,
  type DatasetManifest,
  datasetManifestSchema,
  type FileFacts,
  fileName,
  MANIFEST_FILE,
  PARTS,
  type Part,
} from "./format.ts";

interface WriteOptions extends Pick<BackfillOptions, "onProgress"> {
  readonly openFile?: OpenFile;
}

/** Writes a dataset atomically. @throws UserError if the folder is not empty or the disk is full */
export async function writeDataset(
  dir: string,
  config: BackfillConfig,
  donors: DonorPool,
  options: WriteOptions = {},
): Promise<DatasetManifest> {
  await requireFree(dir);
  const partial = `${resolve(dir)}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    makeFolder(partial);
    const manifest = await fill(partial, config, donors, options);
    await rename(partial, resolve(dir));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw explain(error, dir);
  }
}

async function requireFree(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw explain(error, dir);
  });
  if (names.length === 0) return;
  throw new UserError(
    `Dataset ${dir}: the folder is not empty (${names.slice(0, 3).join(", ")})`,
    "choose another folder, or empty this one",
  );
}

async function fill(
  dir: string,
  config: BackfillConfig,
  donors: DonorPool,
  { openFile = openNew, onProgress }: WriteOptions,
): Promise<DatasetManifest> {
  const files = await DatasetFiles.create(dir, openFile);
  try {
    const result = await runBackfill(config, donors, files, onProgress ? { onProgress } : {});
    const donorLines = donors.facts.map((donor) => JSON.stringify(donor));
    await files.append("donors", donorLines);
    await files.append("state", [JSON.stringify(result.state)]);
    const manifest = datasetManifestSchema.parse({
      format: DATASET_FORMAT,
      files: await files.complete(),
      manifest: result.manifest,
    });
    await writeFile(join(dir, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    await files.close();
  }
}

function explain(error: unknown, dir: string): unknown {
  const failure = fileFailure(error, `Dataset ${dir}`);
  if (!failure) return error;
  return new UserError(`${failure.message}. Partial output was removed`, failure.hint);
}

const compress = promisify(gzip);
const LEVEL = { level: constants.Z_BEST_COMPRESSION };

/** Function that opens a file; tests replace it to simulate a full disk. */
type OpenFile = (path: string) => Promise<OpenedFile>;
type OpenedFile = Pick<FileHandle, "appendFile" | "close">;
const openNew: OpenFile = (path) => open(path, "wx");

/** Gzip writer with one member per call, without name or time, so that bytes are reproducible. */
class GzipLines {
  readonly #file: OpenedFile;
  readonly #hash: Hash = createHash("sha256");
  #lines = 0;

  constructor(file: OpenedFile) {
    this.#file = file;
  }

  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const content = `${lines.join("\n")}\n`;
    this.#hash.update(content);
    this.#lines += lines.length;
    await this.#file.appendFile(await compress(content, LEVEL));
  }

  async complete(): Promise<FileFacts> {
    // A gzip file needs at least one member.
    if (this.#lines === 0) await this.#file.appendFile(await compress("", LEVEL));
    return { lines: this.#lines, sha256: this.#hash.digest("hex") };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

class DatasetFiles implements Publisher {
  readonly #files: Readonly<Record<Part, GzipLines>>;

  private constructor(files: Readonly<Record<Part, GzipLines>>) {
    this.#files = files;
  }

  static async create(dir: string, openFile: OpenFile): Promise<DatasetFiles> {
    const files: Partial<Record<Part, GzipLines>> = {};
    for (const part of PARTS) {
      files[part] = new GzipLines(await openFile(join(dir, fileName(part))));
    }
    return new DatasetFiles(files as Record<Part, GzipLines>);
  }

  append(part: Part, lines: readonly string[]): Promise<void> {
    return this.#files[part].append(lines);
  }

  async publish(batch: MessageBatch): Promise<void> {
    for (const stream of STREAMS) await this.append(stream, batch[stream].values);
    await this.append("clock", clockRows(batch));
  }

  async complete(): Promise<Partial<Record<Part, FileFacts>>> {
    const facts: Partial<Record<Part, FileFacts>> = {};
    for (const part of PARTS) facts[part] = await this.#files[part].complete();
    return facts;
  }

  async close(): Promise<void> {
    for (const part of PARTS) await this.#files[part].close();
  }
}

function clockRows(batch: MessageBatch): string[] {
  const minutes = new Map<Micros, StreamCounts>();
  for (const stream of STREAMS) {
    for (const at of batch[stream].emittedAt) {
      if (at === null)
        throw new TypeError("Messages of a stored dataset must have a time of emission");
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
