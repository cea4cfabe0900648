import { z } from "zod";
import { type DefectCounts, defectCountsSchema } from "../../contract/defects.ts";
import { type Manifest, manifestSchema } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { addStatements, type Statement, statementSchema } from "../../contract/statement.ts";
import { isLoadKey } from "../../contract/topics.ts";

export interface Source {
  readonly name: string;
  readonly statement: Statement;
  readonly manifest: Manifest | undefined;
  /** Defects injected so far, if the source continues after its manifest. */
  readonly defects?: DefectCounts;
  /** True if the source will send no more than the statement. Missing in older records. */
  readonly isFinal?: boolean;
  /** The broker has lost its state, so the statement comes from the manifest alone. */
  readonly lacksState?: true;
}

const GENERATOR = "generator ";
export const generatorSource = (key: string): string => `${GENERATOR}${key}`;
export const isGenerator = ({ name }: Source): boolean => name.startsWith(GENERATOR);

/** Older records lack `isFinal`: there generators, and loads without a manifest, may have. */
export const mayHaveSentMore = (source: Source): boolean =>
  source.isFinal === undefined
    ? isGenerator(source) || (isLoadKey(source.name) && source.manifest === undefined)
    : !source.isFinal;

export const sentBy = (sources: readonly Source[]): Statement =>
  addStatements(sources.map(({ statement }) => statement));

export async function storeSource(db: Database, epoch: number, source: Source): Promise<void> {
  await db.run(
    `INSERT INTO stg.manifest (epoch, source, statement, manifest)
     SELECT {epoch:UInt64}, {name:String}, {statement:String}, {manifest:String}`,
    {
      epoch,
      name: source.name,
      statement: JSON.stringify({
        ...source.statement,
        ...{ isFinal: source.isFinal, defects: source.defects },
      }),
      manifest: source.manifest ? JSON.stringify(source.manifest) : "",
    },
  );
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

/** Inside the text, so that the table of existing databases is unchanged. */
const storedSchema = statementSchema.extend({
  isFinal: z.boolean().optional(),
  defects: defectCountsSchema.optional(),
});

function toSource({ source, statement: text, manifest }: StoredSource): Source {
  const { isFinal, defects, ...statement } = storedSchema.parse(JSON.parse(text));
  return {
    name: source,
    statement,
    manifest: manifest === "" ? undefined : manifestSchema.parse(JSON.parse(manifest)),
    ...(isFinal !== undefined && { isFinal }),
    ...(defects !== undefined && { defects }),
  };
}

export const readSources = async (db: Database, epoch: number): Promise<Source[]> =>
  (await readAllSources(db)).get(epoch) ?? [];

export async function readManifest(db: Database, epoch: number): Promise<Manifest | undefined> {
  const [source, ...more] = await readSources(db, epoch);
  return more.length === 0 ? source?.manifest : undefined;
}
