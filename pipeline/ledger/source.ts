import type { DefectCounts } from "../../contract/defects.ts";
import { type Manifest, manifestSchema } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { type Statement, statementSchema } from "../../contract/statement.ts";

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

/** All sources of an epoch, oldest first. */
export async function readSources(db: Database, epoch: number): Promise<Source[]> {
  const rows = await db.rows<{ source: string; statement: string; manifest: string }>(
    `SELECT source, statement, manifest FROM stg.manifest FINAL
     WHERE epoch = {epoch:UInt64} ORDER BY stored_at`,
    { epoch },
  );
  return rows.map(({ source, statement, manifest }) => ({
    name: source,
    statement: statementSchema.parse(JSON.parse(statement)),
    manifest: manifest === "" ? undefined : manifestSchema.parse(JSON.parse(manifest)),
  }));
}

/** The manifest of an epoch whose data come from one complete source. */
export async function readManifest(db: Database, epoch: number): Promise<Manifest | undefined> {
  const [source, ...more] = await readSources(db, epoch);
  return more.length === 0 ? source?.manifest : undefined;
}
