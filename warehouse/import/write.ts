import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder, readFailure } from "../../contract/files.ts";
import { FUNNEL_FILE } from "../../generator/dataset/format.ts";
import { requireColumns, UnseenKeys } from "./columns.ts";
import type { Mapping } from "./mapping.ts";
import { messageMapper } from "./messages.ts";
import { ImportOutput, type ImportSummary } from "./output.ts";
import { readRows } from "./rows.ts";

/** File that marks a folder as written by an import, which a further import may replace. */
const SUMMARY_FILE = "import.json";

/** Receives the share of bytes read (0 if unknown) and the number of rows. */
type OnProgress = (ratio: number, rows: number) => void;

/**
 * Writes the rows of the files as a data set, which replaces that of an earlier import.
 * @throws UserError if a file cannot be read, no row can be mapped, rows for derived sessions are not sorted, or the folder is in use
 */
export async function importFiles(
  files: readonly string[],
  mapping: Mapping,
  dir: string,
  onProgress: OnProgress = () => {},
): Promise<ImportSummary> {
  const [target, partial] = [resolve(dir), `${resolve(dir)}.partial`];
  try {
    requireReplaceable(target);
    rmSync(partial, { recursive: true, force: true });
    makeFolder(partial);
    const summary = await fill(partial, files, mapping, onProgress);
    if (mapping.funnel) {
      writeFileSync(join(partial, FUNNEL_FILE), `${JSON.stringify(mapping.funnel, null, 2)}\n`);
    }
    writeFileSync(
      join(partial, SUMMARY_FILE),
      `${JSON.stringify({ files, ...summary }, null, 2)}\n`,
    );
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
    return summary;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw fileFailure(error, `Data set ${dir}`) ?? error;
  }
}

function requireReplaceable(target: string): void {
  if (!existsSync(target)) return;
  const names = readdirSync(target);
  if (names.length === 0 || names.includes(SUMMARY_FILE)) return;
  throw new UserError(
    `Data set ${target}: the folder is not empty, and no import wrote it (${names.slice(0, 3).join(", ")})`,
    "name a new or an empty folder with --out",
  );
}

async function fill(
  dir: string,
  files: readonly string[],
  mapping: Mapping,
  onProgress: OnProgress,
): Promise<ImportSummary> {
  const total = sizeOf(files);
  const output = await ImportOutput.create(dir);
  const unseen = new UnseenKeys(mapping);
  const toMessages = messageMapper(mapping);
  let bytes = 0;
  try {
    for (const file of files) {
      await addFile({ output, unseen, mapping, toMessages }, file, (count) => {
        bytes += count;
        onProgress(bytes / total, output.rows);
      });
    }
    unseen.requireNone();
  } catch (error) {
    await output.abandon();
    throw error;
  }
  const summary = await output.close();
  if (summary.unmapped === summary.rows) throw nothingMapped(summary);
  return summary;
}

interface Context {
  readonly output: ImportOutput;
  readonly unseen: UnseenKeys;
  readonly mapping: Mapping;
  readonly toMessages: ReturnType<typeof messageMapper>;
}

async function addFile(
  { output, unseen, mapping, toMessages }: Context,
  file: string,
  onBytes: (count: number) => void,
): Promise<void> {
  let isFirst = true;
  for await (const row of readRows(file, { delimiter: mapping.delimiter, onBytes })) {
    if (isFirst) requireColumns(file, row, mapping);
    isFirst = false;
    unseen.see(row);
    await output.add(file, row, toMessages(row, file));
  }
}

function nothingMapped({ rows, first: [example] }: ImportSummary): UserError {
  return new UserError(
    `${example?.file}:${example?.line}: ${example?.reason}. None of ${rows} rows can be mapped; nothing was written`,
    "correct the mapping file, or write a new one: pipeline import FILE --write-mapping NEW_FILE",
  );
}

/** Sums the bytes of all files; infinite if one is compressed, because its content is larger. */
function sizeOf(files: readonly string[]): number {
  const sizes = files.map((file) => {
    try {
      return file.endsWith(".gz") ? Number.POSITIVE_INFINITY : statSync(file).size;
    } catch (error) {
      throw readFailure(error, file) ?? error;
    }
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
