import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { damageIn, sourceRecordSchema } from "../../contract/source.ts";
import { hintToRun } from "../database/command.ts";
import { escapeTsv } from "../database/tsv.ts";
import type { Source } from "./source.ts";

/** Error of a source whose record in stg.manifest cannot be read. */
export class DamagedSource extends UserError {}

interface StoredSource {
  readonly epoch: number;
  readonly source: string;
  readonly statement: string;
  readonly manifest: string;
}

/** Stores a source as a row of data, because a manifest is longer than a parameter may be. */
export async function storeSource(
  db: Database,
  epoch: number,
  { name, manifest, ...said }: Source,
): Promise<void> {
  const texts = [JSON.stringify(said), manifest ? JSON.stringify(manifest) : ""];
  const row = [`${epoch}`, name, ...texts].map(escapeTsv).join("\t");
  const columns = ["epoch", "source", "statement", "manifest"];
  await db.insertTsv("stg.manifest", columns, [Buffer.from(`${row}\n`)]);
}

/** Returns the stored sources by epoch. @throws DamagedSource */
export async function readAllSources(db: Database): Promise<Map<number, Source[]>> {
  const rows = await db.rows<StoredSource>(
    "SELECT epoch, source, statement, manifest FROM stg.manifest FINAL ORDER BY stored_at",
  );
  const epochs = Map.groupBy(rows, ({ epoch }) => epoch);
  return new Map(
    [...epochs].map(([epoch, stored]) => [epoch, stored.map((row) => toSource(row, db))]),
  );
}

function toSource({ source, statement, manifest }: StoredSource, db: Database): Source {
  try {
    const said = JSON.parse(statement);
    const record = manifest === "" ? said : { ...said, manifest: JSON.parse(manifest) };
    return { name: source, ...sourceRecordSchema.parse(record) };
  } catch (error) {
    throw new DamagedSource(
      `The record of the source "${source}" in stg.manifest is damaged: ${damageIn(error)}`,
      `${hintToRun(db, "data --replace", "make data REPLACE=1")}, which empties the layers first`,
    );
  }
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

/** Returns the names of all sources. */
export async function sourceNames(db: Database): Promise<string[]> {
  const rows = await db.rows<{ source: string }>(
    "SELECT DISTINCT source FROM stg.manifest ORDER BY source",
  );
  return rows.map(({ source }) => source);
}
