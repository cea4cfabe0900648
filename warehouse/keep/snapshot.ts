import { basename } from "node:path";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Lease, type LeaseOptions, withLease } from "../batch/lease.ts";
import { commandOn, hintToRun } from "../database/command.ts";
import { ddlDigest } from "../declared.ts";
import { findDifferences } from "../schema/differences.ts";
import { literal } from "../sql.ts";
import {
  canDelete,
  chainOf,
  copyOf,
  deleteFolders,
  failureOf,
  missingOf,
  readContent,
  readSnapshots,
  type Snapshot,
  type Snapshots,
  sizeOnDisk,
  snapshotTables,
  stopMerges,
  workspaceOf,
  writeRecord,
} from "./snapshots.ts";

export interface SnapshotOptions {
  /** Default: the workspace and the time. */
  readonly name?: string | undefined;
  /** Snapshots without a name of the user that are kept. */
  readonly keep: number;
  readonly lease?: LeaseOptions;
}

export interface Taken {
  readonly snapshot: Snapshot;
  /** Names of earlier snapshots that were deleted. */
  readonly deleted: readonly string[];
}

/** Makes a snapshot of the stored rows, then deletes those beyond the kept number. @throws UserError */
export async function takeSnapshot(db: Database, options: SnapshotOptions): Promise<Taken> {
  await requireTables(db);
  const work = async (lease: Lease): Promise<Taken> => {
    const workspace = workspaceOf(db);
    if (canDelete(db)) await deleteRemains(lease.db, workspace);
    const known = await readSnapshots(lease.db);
    const snapshot = await backUp(lease, known, options);
    const all = [...known.finished, snapshot];
    // One whose manifest is not readable may need any other.
    const mayDelete = canDelete(db) && known.unreadable.length === 0;
    const deleted = mayDelete ? namesOf(superfluous(all, workspace, options.keep)) : [];
    await deleteFolders(db, known.folder, deleted);
    return { snapshot, deleted };
  };
  return withLease(db, "snapshot", work, options.lease);
}

/** Deletes what interrupted commands left; under the lease, nobody is making a snapshot of this database. */
async function deleteRemains(db: Database, workspace: string | null): Promise<void> {
  const { folder, unfinished } = await readSnapshots(db);
  const remains = unfinished.filter((one) => one.workspace === workspace);
  await deleteFolders(db, folder, namesOf(remains));
}

const namesOf = (some: readonly { readonly name: string }[]): string[] =>
  some.map(({ name }) => name);

/** @throws UserError if a table is missing or differs from the DDL */
export async function requireTables(db: Database): Promise<void> {
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
  { folder, finished, unfinished, unreadable }: Snapshots,
  { name: given, keep }: SnapshotOptions,
): Promise<Snapshot> {
  const tables = snapshotTables();
  const workspace = workspaceOf(db);
  const time = new Date().toISOString();
  const name = given ?? defaultName(workspace, time);
  requireFree(db, name, [...namesOf([...finished, ...unfinished]), ...unreadable]);
  await writeRecord(db, folder, { name, workspace });
  for (const table of tables) await db.run(`CREATE TABLE ${copyOf(table)} CLONE AS ${table}`);
  await stopMerges(db, tables);
  const base = await findBase(db, { folder, finished }, workspace, keep);
  const [version] = await db.rows<{ clickhouse: string }>("SELECT version() AS clickhouse");
  const snapshot = {
    ...{ name, workspace, time, base },
    isNamed: given !== undefined,
    clickhouse: version?.clickhouse ?? "",
    schema: ddlDigest(),
    tables: await readContent(db, tables),
    bytes: await write(db, folder, name, base, tables),
  };
  if (base !== null) await requireBase(db, name, base);
  await writeRecord(db, folder, snapshot);
  return snapshot;
}

/** Another workspace may delete any snapshot of the folder. @throws UserError if the base is gone */
async function requireBase(db: Database, name: string, base: string): Promise<void> {
  const missing = missingOf(base, (await readSnapshots(db)).finished);
  if (missing === null) return;
  throw new UserError(
    `The snapshot ${name} was not made, because ${missing} was deleted, whose files it needs`,
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

function defaultName(workspace: string | null, time: string): string {
  const stamp = time.slice(0, 19).replaceAll(":", "-");
  const prefix = workspace === null ? "" : basename(workspace).replace(/[^A-Za-z0-9_-]/g, "-");
  return prefix === "" ? stamp : `${prefix}-${stamp}`;
}

function requireFree(db: Database, name: string, taken: readonly string[]): void {
  if (!taken.includes(name)) return;
  throw new UserError(
    `There is a snapshot ${name} already. Nothing was changed`,
    `choose another name, or run \`${commandOn(db, `snapshots delete ${name}`, `make snapshots DELETE=${name}`)}\` first`,
  );
}

/**
 * Returns the latest snapshot, unless its chain has the kept number, so that an old chain can go, or
 * has lost files.
 */
async function findBase(
  db: Database,
  { folder, finished }: Pick<Snapshots, "folder" | "finished">,
  workspace: string | null,
  keep: number,
): Promise<string | null> {
  const latest = finished.findLast((one) => one.workspace === workspace)?.name;
  if (latest === undefined || missingOf(latest, finished) !== null) return null;
  const chain = chainOf(latest, finished);
  if (chain.length >= keep) return null;
  for (const { name, bytes } of chain) {
    if ((await sizeOnDisk(db, folder, name)) !== bytes) return null;
  }
  return latest;
}

/** Returns snapshots beyond the kept number that no other one needs; those that need others first. */
function superfluous(all: readonly Snapshot[], workspace: string | null, keep: number): Snapshot[] {
  const own = all.filter((one) => !one.isNamed && one.workspace === workspace);
  const old = own.slice(0, Math.max(0, own.length - keep));
  const kept = all.filter((one) => !old.includes(one));
  const needed = kept.flatMap(({ name }) => chainOf(name, all));
  return old.filter((one) => !needed.includes(one)).toReversed();
}
