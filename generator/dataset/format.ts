import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { streamCountsSchema } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import { TIMESTAMP_PATTERN } from "../../contract/field.ts";
import { fileFailure } from "../../contract/files.ts";
import {
  type ImportAccount,
  importAccountSchema,
  type LoadedImport,
} from "../../contract/import-account.ts";
import { manifestSchema } from "../../contract/manifest.ts";
import { type Site, siteSchema } from "../../contract/site.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";

/** Files of JSON lines, plain or compressed by gzip or zstd. Only generated sets have `clock`, `donors` and `state`. */
export const PARTS = [...STREAMS, "clock", "donors", "state"] as const;
export type Part = (typeof PARTS)[number];

export const MANIFEST_FILE = "manifest.json";
/** File with what a dataset says of its site (contract/site.ts). */
export const SITE_FILE = "site.json";
/** File with what became of the rows of imported files. */
export const IMPORT_FILE = "import.json";
/** File with the rows of imported files that became no event. */
export const REJECTED_FILE = "rejected.jsonl";
export const DATASET_FORMAT = 1;

const fileFacts = z.strictObject({
  lines: z.int().nonnegative(),
  /** Digest of the uncompressed content, because compressors differ between machines. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type FileFacts = z.infer<typeof fileFacts>;

export const datasetManifestSchema = z.strictObject({
  format: z.literal(DATASET_FORMAT),
  files: z.partialRecord(z.enum(PARTS), fileFacts),
  manifest: manifestSchema,
});
export type DatasetManifest = z.infer<typeof datasetManifestSchema>;

/** Row of `clock`: start of a minute, and number of lines in that minute by stream. */
export const clockRowSchema = z.strictObject({
  emitted_at: z.string().regex(TIMESTAMP_PATTERN),
  ...streamCountsSchema.shape,
});
export type ClockRow = z.infer<typeof clockRowSchema>;

export interface Dataset {
  readonly dir: string;
  readonly files: Readonly<Record<StreamName, string> & Partial<Record<Part, string>>>;
  readonly manifest: DatasetManifest | null;
  /** Null for the defaults. */
  readonly site: Site | null;
  /** Account of the files that an import read; null for other datasets. */
  readonly imported: LoadedImport | null;
}

export const fileName = (part: Part): string => `${part}.jsonl.gz`;
/** Name of a file that the engine writes, for which zstd is faster and smaller. */
export const engineFileName = (part: Part): string => `${part}.jsonl.zst`;

/** Dataset of the project and of the images. */
export const SAMPLE_DATASET = join(import.meta.dirname, "../../data/sample");

/** True if the folder has files; folders in it may hold further datasets. */
export async function hasFiles(dir: string): Promise<boolean> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => !entry.isDirectory());
}

/** Opens a dataset. @throws UserError if files are missing or the manifest is unreadable */
export async function openDataset(dir: string): Promise<Dataset> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new UserError(`Dataset ${dir}: no such folder`, NEXT);
    throw fileFailure(error, `Dataset ${dir}`) ?? error;
  });
  const found = Object.fromEntries(
    PARTS.map((part) => [part, findFile(dir, names, part)]).filter(([, file]) => file !== null),
  ) as Partial<Record<Part, string>>;
  const { browser, location, device, geo, ...rest } = found;
  if (!browser || !location || !device || !geo) {
    const missing = STREAMS.filter((stream) => !found[stream]).map(fileName);
    throw new UserError(
      `Dataset ${dir}: ${missing.join(", ")} missing (files without .gz, or with .zst, are also allowed)`,
      NEXT,
    );
  }
  const manifest = names.includes(MANIFEST_FILE) ? await readManifest(dir) : null;
  const site = names.includes(SITE_FILE) ? await readSite(dir) : null;
  const account = names.includes(IMPORT_FILE) ? await readAccount(dir) : null;
  const imported = account && { ...account, dir: resolve(dir) };
  return { dir, files: { browser, location, device, geo, ...rest }, manifest, site, imported };
}

const NEXT = "provide one file of JSON lines per stream (docs/how-to/load-your-own-clickstream.md)";

function findFile(dir: string, names: readonly string[], part: Part): string | null {
  const present = [`${part}.jsonl`, fileName(part), engineFileName(part)].filter((name) =>
    names.includes(name),
  );
  if (present.length > 1) {
    throw new UserError(
      `Dataset ${dir}: both ${present.join(" and ")} exist`,
      `remove one of them: rm ${join(dir, present[0] ?? "")}`,
    );
  }
  return present[0] === undefined ? null : join(dir, present[0]);
}

const readManifest = (dir: string): Promise<DatasetManifest> =>
  readJson(join(dir, MANIFEST_FILE), datasetManifestSchema, {
    what: `is not a dataset manifest of format ${DATASET_FORMAT}`,
    hint: "run pipeline dataset write DIR for a new set, or remove manifest.json to load the lines without it",
  });

const readSite = (dir: string): Promise<Site> =>
  readJson(join(dir, SITE_FILE), siteSchema, {
    what: 'is not a site such as {"funnel":[{"stage":"start","pages":["/","/news/*"]}],"timezone":"Europe/Berlin"}',
    hint: "correct the file, or remove it to use the defaults",
  });

const readAccount = (dir: string): Promise<ImportAccount> =>
  readJson(join(dir, IMPORT_FILE), importAccountSchema, {
    what: "is not the account of an import",
    hint: "import the files again",
  });

interface Mistake {
  readonly what: string;
  readonly hint: string;
}

/** Reads a JSON file. @throws UserError that names the first mistake */
async function readJson<T>(
  file: string,
  schema: z.ZodType<T>,
  { what, hint }: Mistake,
): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue ? `${issue.path.join(".")}: ${issue.message}` : String(error);
    throw new UserError(`${file} ${what}: ${reason}`, hint);
  }
}
