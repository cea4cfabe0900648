import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder } from "../../contract/files.ts";
import { isoMicros, MINUTE } from "../../contract/time.ts";
import {
  type BackfillConfig,
  type BackfillOptions,
  type BackfillResult,
  runBackfill,
} from "../backfill.ts";
import type { DonorPool } from "../model/donors.ts";
import {
  DATASET_FORMAT,
  type DatasetManifest,
  datasetManifestSchema,
  type FileFacts,
  fileName,
  MANIFEST_FILE,
  type Part,
} from "./format.ts";
import { DatasetPublisher, GzipLines, type OpenFile } from "./writer.ts";

export interface WriteOptions extends Pick<BackfillOptions, "onProgress"> {
  readonly openFile?: OpenFile;
}

/** Writes a data set atomically. @throws UserError if the folder is not empty or the disk is full */
export async function writeDataset(
  dir: string,
  config: BackfillConfig,
  donors: DonorPool,
  options: WriteOptions = {},
): Promise<DatasetManifest> {
  requireFullMinute(config);
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

/** Checks T0, because a minute of the clock in two batches would make digests unverifiable. */
function requireFullMinute(config: BackfillConfig): void {
  if (config.t0 % MINUTE === 0) return;
  throw new UserError(
    `GEN_MODEL_T0=${isoMicros(config.t0)}: a stored data set must start at a full minute`,
    `GEN_MODEL_T0=${isoMicros(Math.floor(config.t0 / MINUTE) * MINUTE)}`,
  );
}

async function requireFree(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw explain(error, dir);
  });
  if (names.length === 0) return;
  throw new UserError(
    `Data set ${dir}: the folder is not empty (${names.slice(0, 3).join(", ")})`,
    "choose another folder, or empty this one",
  );
}

async function fill(
  dir: string,
  config: BackfillConfig,
  donors: DonorPool,
  { openFile, onProgress }: WriteOptions,
): Promise<DatasetManifest> {
  const publisher = await DatasetPublisher.create(dir, openFile);
  let result: BackfillResult;
  try {
    result = await runBackfill(config, donors, publisher, onProgress ? { onProgress } : {});
    await publisher.close();
  } catch (error) {
    await publisher.abandon();
    throw error;
  }
  const donorLines = donors.facts.map((donor) => JSON.stringify(donor));
  const manifest = datasetManifestSchema.parse({
    format: DATASET_FORMAT,
    files: {
      ...publisher.facts,
      donors: await writePart(dir, "donors", donorLines, openFile),
      state: await writePart(dir, "state", [JSON.stringify(result.state)], openFile),
    },
    manifest: result.manifest,
  });
  await writeFile(join(dir, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function writePart(
  dir: string,
  part: Part,
  lines: readonly string[],
  openFile?: OpenFile,
): Promise<FileFacts> {
  const file = await GzipLines.create(join(dir, fileName(part)), openFile);
  try {
    await file.append(lines);
    return await file.close();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

function explain(error: unknown, dir: string): unknown {
  const failure = fileFailure(error, `Data set ${dir}`);
  if (!failure) return error;
  return new UserError(`${failure.message}. Partial output was removed`, failure.hint);
}
