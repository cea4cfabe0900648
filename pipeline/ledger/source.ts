import type { DefectCounts } from "../../contract/defects.ts";
import { type Manifest, manifestSchema } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { addStatements, type Statement, statementSchema } from "../../contract/statement.ts";
import { isLoadKey } from "../../contract/topics.ts";

export interface Source {
  /** Name of the source, unique in its epoch. */
  readonly name: string;
  readonly statement: Statement;
  readonly manifest: Manifest | undefined;
  /** Defects injected so far, where the source goes on after its manifest. */
  readonly defects?: DefectCounts;
}

/** Of the sources that a generator writes: it may have sent more since it was read. */
const GENERATOR = "generator ";
export const generatorSource = (key: string): string => `${GENERATOR}${key}`;
export const isOpen = ({ name }: Source): boolean => name.startsWith(GENERATOR);

/**
 * Whether what was stored of a source may be less than it sent: a load over the broker that was under
 * way when it was read has no manifest, as one that was cut off or limited.
 */
export const mayHaveSentMore = (source: Source): boolean =>
  isOpen(source) || (isLoadKey(source.name) && source.manifest === undefined);

/** What all sources sent together. */
export const sentBy = (sources: readonly Source[]): Statement =>
  addStatements(sources.map(({ statement }) => statement));

/** Keeps what a source says it sent beside the data, for the ledger. */
export async function storeSource(db: Database, epoch: number, source: Source): Promise<void> {
  await db.run(
    `INSERT INTO stg.manifest (epoch, source, statement, manifest)
     SELECT {epoch:UInt64}, {name:String}, {statement:String}, {manifest:String}`,
    {
      epoch,
      name: source.name,
      statement: JSON.stringify(source.statement),
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

/** All sources by epoch, oldest first. */
export async function readAllSources(db: Database): Promise<Map<number, Source[]>> {
  const rows = await db.rows<StoredSource>(
    "SELECT epoch, source, statement, manifest FROM stg.manifest FINAL ORDER BY stored_at",
  );
  const epochs = Map.groupBy(rows, ({ epoch }) => epoch);
  return new Map([...epochs].map(([epoch, stored]) => [epoch, stored.map(toSource)]));
}

const toSource = ({ source, statement, manifest }: StoredSource): Source => ({
  name: source,
  statement: statementSchema.parse(JSON.parse(statement)),
  manifest: manifest === "" ? undefined : manifestSchema.parse(JSON.parse(manifest)),
});

/** All sources of an epoch, oldest first. */
export const readSources = async (db: Database, epoch: number): Promise<Source[]> =>
  (await readAllSources(db)).get(epoch) ?? [];

/** The manifest of an epoch whose data come from one complete source. */
export async function readManifest(db: Database, epoch: number): Promise<Manifest | undefined> {
  const [source, ...more] = await readSources(db, epoch);
  return more.length === 0 ? source?.manifest : undefined;
}
