import { basename, join } from "node:path";
import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { DEFAULT_FUNNEL, SESSION_PAUSE_MINUTES, type Site } from "../../contract/site.ts";
import { type Dataset, openDataset } from "../../generator/dataset/format.ts";
import { hintToRun } from "../database/command.ts";
import { stateRoot } from "../engine/workspace.ts";
import type { Source } from "../sources/source.ts";
import { readAllSources, readSources } from "../sources/stored.ts";

/** What a database holds besides a dataset that is about to be loaded. */
export interface Loaded {
  /** True if it holds an earlier load of the dataset. */
  readonly isReplaced: boolean;
  readonly others: readonly Source[];
}

export async function loadedBeside(db: Database, { imported }: Dataset): Promise<Loaded> {
  const isOwn = (source: Source) => imported !== null && source.imported?.name === imported.name;
  const hasSources = "SELECT 1 FROM system.tables WHERE database = 'stg' AND name = 'manifest'";
  if ((await db.rows(hasSources)).length === 0) return { isReplaced: false, others: [] };
  const sources = [...(await readAllSources(db)).values()].flat();
  return {
    isReplaced: sources.some(isOwn),
    others: sources.filter((source) => !isOwn(source) && source.kind !== "replay"),
  };
}

/** Returns the load of a dataset in the current epoch that lacks only lines appended since; undefined if there is none. */
export async function loadToContinue(
  db: Database,
  { imported }: Dataset,
): Promise<Source | undefined> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  return (await readSources(db, row?.epoch ?? 0)).find(
    (source) =>
      source.isFinal &&
      source.imported?.written_at !== undefined &&
      source.imported.written_at === imported?.written_at &&
      source.imported.dir === imported.dir,
  );
}

/**
 * Refuses a dataset of another site than the others, because the marts have one time zone and one funnel.
 * @throws UserError
 */
export async function requireSameSite(db: Database, { dir, imported, site }: Dataset) {
  const [marts] = await db.rows<Site>(
    "SELECT timezone, stages AS funnel, session_pause FROM dm_internal.site",
  );
  if (marts === undefined) return;
  const present = partsOf(marts);
  const wanted = partsOf(site ?? {});
  const differing = wanted.flatMap((part, i) => (part === present[i] ? [] : [[present[i], part]]));
  if (differing.length === 0) return;
  const name = imported?.name ?? basename(dir);
  const [has, wants] = [0, 1].map((i) => differing.map((pair) => pair[i]).join(" and "));
  const own = db.directory === undefined ? join(stateRoot(), name) : `${db.directory}-${name}`;
  throw new UserError(
    `The marts of ${db.label} have ${has}, ${name} has ${wants}. Nothing was loaded`,
    `for a workspace of its own, ${hintToRun({ directory: own }, `data --dataset ${quote(dir)}`)}`,
  );
}

const partsOf = ({
  timezone = "UTC",
  funnel = DEFAULT_FUNNEL,
  session_pause: pause = SESSION_PAUSE_MINUTES,
}: Site): string[] => [
  `the time zone ${timezone}`,
  `a session pause of ${pause} minutes`,
  `the funnel ${funnel.map(({ stage, pages }) => `${stage} (${pages.join(", ")})`).join(", ")}`,
];

/**
 * Opens the other datasets, which are loaded again too, because only empty layers forget earlier rows.
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
        throw notAlone(name, `the dataset ${dir}, whose folder cannot be read, is`);
      }),
    ),
  );
}

const notAlone = (name: string, what: string): UserError =>
  new UserError(
    `${name} was loaded before, and ${what} loaded beside it: replacing its rows would lose the other ones. Nothing was loaded`,
    "load it into a workspace of its own (--database DIR); --replace --yes empties the layers first",
  );
