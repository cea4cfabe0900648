import { basename } from "node:path";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Lease, withLease } from "../batch/lease.ts";
import { commandOn, hintToRun } from "../database/command.ts";
import { tablesVersion } from "../declared.ts";
import { findDifferences } from "../schema/differences.ts";
import { literal } from "../sql.ts";
import {
  canDelete,
  copyOf,
  deleteFolders,
  failureOf,
  hasBase,
  ownerOf,
  readContent,
  readSnapshots,
  type Snapshot,
  type Snapshots,
  sizeOnDisk,
  snapshotTables,
  stopMerges,
  writeRecord,
} from "./snapshots.ts";

export interface SnapshotOptions {
  /** Default: the workspace and the time. */
  readonly name?: string | undefined;
  /** Snapshots without a name of the user that are kept. */
  readonly keep: number;
}

export interface Taken {
  readonly snapshot: Snapshot;
  /** Names of earlier snapshots that were deleted. */
  readonly deleted: readonly string[];
}

/** Makes a snapshot of the stored rows, then deletes those beyond the kept number. @throws UserError */
export async function takeSnapshot(db: Database, options: SnapshotOptions): Promise<Taken> {
  await requireTables(db);
  return withLease(db, "snapshot", async (lease) => {
    const owner = await ownerOf(db);
    if (canDelete(db)) await deleteRemains(lease.db, owner);
    const known = await readSnapshots(lease.db);
    const snapshot = await backUp(lease, owner, known, options);
    const all = [...known.finished, snapshot];
    // One whose manifest is not readable may need any other.
    const mayDelete = canDelete(db) && known.unreadable.length === 0;
    const deleted = mayDelete ? namesOf(superfluous(all, owner, options.keep)) : [];
    await deleteFolders(db, known.folder, deleted);
    return { snapshot, deleted };
  });
}

/** Deletes what interrupted commands left; under the lease, nobody is making a snapshot of this database. */
async function deleteRemains(db: Database, owner: string): Promise<void> {
  const { folder, unfinished } = await readSnapshots(db);
  const remains = unfinished.filter((one) => one.owner === owner);
  await deleteFolders(db, folder, namesOf(remains));
}

const namesOf = (some: readonly { readonly name: string }[]): string[] =>
  some.map(({ name }) => name);

/** @throws UserError if a table is missing or differs from the DDL */
async function requireTables(db: Database): Promise<void> {
  const tables = snapshotTables();
  const differing = (await findDifferences(db, "all")).filter((one) => tables.includes(one.object));
  if (differing.length === 0) return;
  const what = differing.map(({ object, what }) => `${object}: ${what}`).join("; ");
  throw new UserError(
    `${db.label} has tables that differ from sql/ddl: ${what}`,
    hintToRun(db, "ddl"),
  );
}

async function backUp(
  { db }: Lease,
  owner: string,
  { folder, finished, unfinished, unreadable }: Snapshots,
  { name: given, keep }: SnapshotOptions,
): Promise<Snapshot> {
  const tables = snapshotTables();
  const time = new Date().toISOString();
  const name = given ?? defaultName(db, time);
  requireFree(db, name, [...namesOf([...finished, ...unfinished]), ...unreadable]);
  await writeRecord(db, folder, { name, owner });
  for (const table of tables) await db.run(`CREATE TABLE ${copyOf(table)} CLONE AS ${table}`);
  await stopMerges(db, tables);
  const base = await findBase(
    db,
    folder,
    finished.filter((one) => one.owner === owner),
    keep,
  );
  const [version] = await db.rows<{ clickhouse: string }>("SELECT version() AS clickhouse");
  const snapshot = {
    ...{ name, owner, time, base },
    isNamed: given !== undefined,
    clickhouse: version?.clickhouse ?? "",
    schema: tablesVersion(),
    tables: await readContent(db, tables),
    bytes: await write(db, folder, name, base, tables),
  };
  await requireBase(db, snapshot);
  await writeRecord(db, folder, snapshot);
  return snapshot;
}

/** Another command may delete any snapshot of the folder. @throws UserError if the base is gone */
async function requireBase(db: Database, snapshot: Snapshot): Promise<void> {
  if (hasBase(snapshot, (await readSnapshots(db)).finished)) return;
  throw new UserError(
    `The snapshot ${snapshot.name} was not made, because ${snapshot.base} was deleted, whose files it needs`,
    "retry",
  );
}

/** Writes the files of the copies. @returns their size without that of the base */
async function write(
  db: Database,
  folder: string,
  name: string,
  base: string | null,
  tables: readonly string[],
): Promise<number> {
  const list = tables.map((table) => `TABLE ${copyOf(table)} AS ${table}`).join(", ");
  const settings = base === null ? "" : `SETTINGS base_backup = ${filesOf(base)}`;
  try {
    const [backup] = await db.rows<{ id: string }>(
      `BACKUP ${list} TO ${filesOf(name)} ${settings}`,
    );
    // On a full disk, BACKUP succeeds with truncated files.
    const [size] = await db.rows<{ bytes: number }>(
      "SELECT compressed_size AS bytes FROM system.backups WHERE id = {id:String}",
      { id: backup?.id },
    );
    const written = await sizeOnDisk(db, folder, name);
    if (written !== size?.bytes) throw new Error(`${written} of ${size?.bytes} bytes were written`);
    return written;
  } catch (error) {
    throw failureOf(error, `ClickHouse could not write the snapshot ${name}, which was not made`);
  }
}

/** Place of the files of a snapshot, relative to the folder, so that the folder can be moved. */
export const filesOf = (name: string): string => `File(${literal(`${name}/data`)})`;

function defaultName({ directory = "" }: Database, time: string): string {
  const stamp = time.slice(0, 19).replaceAll(":", "-");
  const prefix = basename(directory).replace(/[^A-Za-z0-9_-]/g, "-");
  return prefix === "" ? stamp : `${prefix}-${stamp}`;
}

function requireFree(db: Database, name: string, taken: readonly string[]): void {
  if (!taken.includes(name)) return;
  throw new UserError(
    `There is a snapshot ${name} already. Nothing was changed`,
    `choose another name, or run \`${commandOn(db, `snapshots delete ${name}`, `make snapshots DELETE=${name}`)}\` first`,
  );
}

/** Returns the latest full snapshot, unless as many as are kept need it, so that it can go, or it has lost files. */
async function findBase(
  db: Database,
  folder: string,
  own: readonly Snapshot[],
  keep: number,
): Promise<string | null> {
  const full = own.findLast(({ base }) => base === null);
  if (!full || own.filter(({ base }) => base === full.name).length + 1 >= keep) return null;
  return (await sizeOnDisk(db, folder, full.name)) === full.bytes ? full.name : null;
}

/** Returns snapshots beyond the kept number that no other one needs; those that need others first. */
function superfluous(all: readonly Snapshot[], owner: string, keep: number): Snapshot[] {
  const own = all.filter((one) => !one.isNamed && one.owner === owner);
  const old = own.slice(0, Math.max(0, own.length - keep));
  const needed = all.filter((one) => !old.includes(one)).map(({ base }) => base);
  return old.filter(({ name }) => !needed.includes(name)).toReversed();
}
