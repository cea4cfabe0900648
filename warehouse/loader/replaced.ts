import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Dataset, openDataset } from "../../generator/dataset/format.ts";
import { readAllSources } from "../reconciliation/source.ts";

/**
 * Returns the other imported data sets of a database that holds an earlier load of this one; they are
 * loaded again with it, because only empty layers forget its earlier rows. Null if there is none.
 * @throws UserError if the layers also hold what cannot be loaded again
 */
export async function loadedBeside(db: Database, dataset: Dataset): Promise<Dataset[] | null> {
  const name = dataset.imported?.name;
  if (name === undefined || !(await hasSources(db))) return null;
  const sources = [...(await readAllSources(db)).values()].flat();
  if (!sources.some(({ imported }) => imported?.name === name)) return null;
  const other = sources.find(({ imported }) => imported === undefined);
  if (other) throw notAlone(name, `"${other.name}" is`);
  const dirs = new Set(
    sources.flatMap(({ imported }) =>
      imported === undefined || imported.name === name ? [] : [imported.dir],
    ),
  );
  return Promise.all(
    [...dirs].map((dir) =>
      openDataset(dir).catch(() => {
        throw notAlone(name, `the data set ${dir}, whose folder has gone, is`);
      }),
    ),
  );
}

const hasSources = async (db: Database): Promise<boolean> =>
  (await db.rows("SELECT 1 FROM system.tables WHERE database = 'stg' AND name = 'manifest'"))
    .length > 0;

const notAlone = (name: string, what: string): UserError =>
  new UserError(
    `${name} was loaded before, and ${what} loaded beside it: replacing its rows would lose the other ones. Nothing was loaded`,
    "load it into a workspace of its own (--database DIR); --replace --yes empties the layers first",
  );
