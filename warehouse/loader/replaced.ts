import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Dataset, openDataset } from "../../generator/dataset/format.ts";
import { readAllSources, type Source } from "../reconciliation/source.ts";

/** What a database holds besides an imported data set that is about to be loaded. */
export interface Loaded {
  /** True if it holds an earlier load of the data set. */
  readonly isReplaced: boolean;
  readonly others: readonly Source[];
}

export async function loadedBeside(db: Database, { imported }: Dataset): Promise<Loaded> {
  const isOwn = (source: Source) => source.imported?.name === imported?.name;
  const hasSources = "SELECT 1 FROM system.tables WHERE database = 'stg' AND name = 'manifest'";
  if (!imported || (await db.rows(hasSources)).length === 0)
    return { isReplaced: false, others: [] };
  const sources = [...(await readAllSources(db)).values()].flat();
  return { isReplaced: sources.some(isOwn), others: sources.filter((source) => !isOwn(source)) };
}

/**
 * Opens the other data sets, which are loaded again too, because only empty layers forget earlier rows.
 * @throws UserError if one cannot be loaded again
 */
export async function openAgain(name: string, others: readonly Source[]): Promise<Dataset[]> {
  const dirs = others.map((source) => {
    if (source.imported) return source.imported.dir;
    throw notAlone(name, `"${source.name}" is`);
  });
  return Promise.all(
    [...new Set(dirs)].map((dir) =>
      openDataset(dir).catch(() => {
        throw notAlone(name, `the data set ${dir}, whose folder cannot be read, is`);
      }),
    ),
  );
}

const notAlone = (name: string, what: string): UserError =>
  new UserError(
    `${name} was loaded before, and ${what} loaded beside it: replacing its rows would lose the other ones. Nothing was loaded`,
    "load it into a workspace of its own (--database DIR); --replace --yes empties the layers first",
  );
