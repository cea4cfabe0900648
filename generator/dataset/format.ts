import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { TIMESTAMP_PATTERN } from "../../contract/field.ts";
import { fileFailure } from "../../contract/files.ts";
import { manifestSchema } from "../../contract/manifest.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";

/** JSON lines per stream, gzipped or not; only our own sets have `clock`, `donors`, `state`. */
export const PARTS = [...STREAMS, "clock", "donors", "state"] as const;
export type Part = (typeof PARTS)[number];

export const MANIFEST_FILE = "manifest.json";
export const DATASET_FORMAT = 1;

const fileFacts = z.strictObject({
  lines: z.int().nonnegative(),
  /** Of the uncompressed content: compressors differ between machines. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type FileFacts = z.infer<typeof fileFacts>;

export const datasetManifestSchema = z.strictObject({
  format: z.literal(DATASET_FORMAT),
  files: z.partialRecord(z.enum(PARTS), fileFacts),
  manifest: manifestSchema,
});
export type DatasetManifest = z.infer<typeof datasetManifestSchema>;

const count = z.int().nonnegative();
/** A row of `clock`: lines per stream emitted in the minute that starts here. */
export const clockRowSchema = z.strictObject({
  emitted_at: z.string().regex(TIMESTAMP_PATTERN),
  browser: count,
  location: count,
  device: count,
  geo: count,
});
export type ClockRow = z.infer<typeof clockRowSchema>;

export interface Dataset {
  readonly dir: string;
  readonly files: Readonly<Record<StreamName, string> & Partial<Record<Part, string>>>;
  readonly manifest: DatasetManifest | null;
}

export const fileName = (part: Part): string => `${part}.jsonl.gz`;

/** @throws UserError if the folder holds no complete data set or its manifest is unreadable */
export async function openDataset(dir: string): Promise<Dataset> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new UserError(`Data set ${dir}: no such folder`, NEXT);
    throw fileFailure(error, `Data set ${dir}`) ?? error;
  });
  const found = Object.fromEntries(
    PARTS.map((part) => [part, findFile(dir, names, part)]).filter(([, file]) => file !== null),
  ) as Partial<Record<Part, string>>;
  const { browser, location, device, geo, ...rest } = found;
  if (!browser || !location || !device || !geo) {
    const missing = STREAMS.filter((stream) => !found[stream]).map(fileName);
    throw new UserError(
      `Data set ${dir}: ${missing.join(", ")} missing (the same without .gz is allowed)`,
      NEXT,
    );
  }
  const manifest = names.includes(MANIFEST_FILE) ? await readManifest(dir) : null;
  return { dir, files: { browser, location, device, geo, ...rest }, manifest };
}

const NEXT = "provide one file of JSON lines per stream (data/README.md)";

function findFile(dir: string, names: readonly string[], part: Part): string | null {
  const present = [`${part}.jsonl`, fileName(part)].filter((name) => names.includes(name));
  if (present.length > 1) {
    throw new UserError(
      `Data set ${dir}: both ${present.join(" and ")} exist`,
      `rm ${join(dir, present[0] ?? "")} (or the other one)`,
    );
  }
  return present[0] === undefined ? null : join(dir, present[0]);
}

async function readManifest(dir: string): Promise<DatasetManifest> {
  const file = join(dir, MANIFEST_FILE);
  const text = await readFile(file, "utf8");
  try {
    return datasetManifestSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? `${error.issues[0]?.path.join(".")}: ${error.issues[0]?.message}`
        : String(error);
    throw new UserError(
      `${file} is not a data set manifest of format ${DATASET_FORMAT}: ${reason}`,
      "run pipeline dataset write DIR for a new set, or remove manifest.json: the lines load without it",
    );
  }
}
