import { z } from "zod";
import { type DefectCounts, defectCountsSchema } from "../../contract/defects.ts";
import { type LoadedImport, loadedImportSchema } from "../../contract/import-account.ts";
import { type Manifest, manifestSchema } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { type SettingsHistory, settingsHistorySchema } from "../../contract/settings.ts";
import { addStatements, type Statement, statementSchema } from "../../contract/statement.ts";
import { isLoadKey } from "../../contract/topics.ts";
import { escapeTsv } from "../database/tsv.ts";

export interface Source {
  readonly name: string;
  readonly statement: Statement;
  readonly manifest: Manifest | undefined;
  /** Defects injected so far, if the source continues after its manifest. */
  readonly defects?: DefectCounts;
  /** Settings of a generator and their changes after its manifest. */
  readonly settings?: SettingsHistory;
  /** What became of the files of an imported data set. */
  readonly imported?: LoadedImport;
  /** True if the source will send no more than the statement. Older records lack the field. */
  readonly isFinal?: boolean;
  /** True if the broker lost the state, so that the statement comes from the manifest alone. */
  readonly lacksState?: true;
}

const GENERATOR = "generator ";
export const generatorSource = (key: string): string => `${GENERATOR}${key}`;
export const isGenerator = ({ name }: Source): boolean => name.startsWith(GENERATOR);

/** True if the source may have sent more; older records lack `isFinal`. */
export const mayHaveSentMore = (source: Source): boolean =>
  source.isFinal === undefined
    ? isGenerator(source) || (isLoadKey(source.name) && source.manifest === undefined)
    : !source.isFinal;

export const sentBy = (sources: readonly Source[]): Statement =>
  addStatements(sources.map(({ statement }) => statement));

/** Stores a source as a row of data, because a manifest is longer than a parameter may be. */
export async function storeSource(db: Database, epoch: number, source: Source): Promise<void> {
  const statement = JSON.stringify({
    ...source.statement,
    isFinal: source.isFinal,
    defects: source.defects,
    settings: source.settings,
    imported: source.imported,
  });
  const manifest = source.manifest ? JSON.stringify(source.manifest) : "";
  const row = [`${epoch}`, source.name, statement, manifest].map(escapeTsv).join("\t");
  const columns = ["epoch", "source", "statement", "manifest"];
  await db.insertTsv("stg.manifest", columns, [Buffer.from(`${row}\n`)]);
}

interface StoredSource {
  readonly epoch: number;
  readonly source: string;
  readonly statement: string;
  readonly manifest: string;
}

export async function readAllSources(db: Database): Promise<Map<number, Source[]>> {
  const rows = await db.rows<StoredSource>(
    "SELECT epoch, source, statement, manifest FROM stg.manifest FINAL ORDER BY stored_at",
  );
  const epochs = Map.groupBy(rows, ({ epoch }) => epoch);
  return new Map([...epochs].map(([epoch, stored]) => [epoch, stored.map(toSource)]));
}

/** Schema of the JSON column `statement`. New fields go here, so existing tables need no migration. */
const storedSchema = statementSchema.extend({
  isFinal: z.boolean().optional(),
  defects: defectCountsSchema.optional(),
  settings: settingsHistorySchema.optional(),
  imported: loadedImportSchema.optional(),
});

function toSource({ source, statement: text, manifest }: StoredSource): Source {
  const { isFinal, defects, settings, imported, ...statement } = storedSchema.parse(
    JSON.parse(text),
  );
  return {
    name: source,
    statement,
    manifest: manifest === "" ? undefined : manifestSchema.parse(JSON.parse(manifest)),
    ...(isFinal !== undefined && { isFinal }),
    ...(defects !== undefined && { defects }),
    ...(settings !== undefined && { settings }),
    ...(imported !== undefined && { imported }),
  };
}

/** Returns the stored sources of an epoch. @param newer sources that replace those of their name */
export async function readSources(
  db: Database,
  epoch: number,
  newer: readonly Source[] = [],
): Promise<Source[]> {
  const stored = (await readAllSources(db)).get(epoch) ?? [];
  const replaced = new Set(newer.map(({ name }) => name));
  return [...stored.filter(({ name }) => !replaced.has(name)), ...newer];
}

/** Returns the sources of all epochs, which the marts count. Parameters as in `readSources`. */
export async function readEverySource(
  ...[db, epoch, newer]: Parameters<typeof readSources>
): Promise<Source[]> {
  const stored = await readAllSources(db);
  stored.delete(epoch);
  return [...[...stored.values()].flat(), ...(await readSources(db, epoch, newer))];
}

/** Returns the source of an epoch that has only one. Parameters as in `readSources`. */
export async function readOnlySource(
  ...parameters: Parameters<typeof readSources>
): Promise<Source | undefined> {
  const [source, ...more] = await readSources(...parameters);
  return more.length === 0 ? source : undefined;
}
