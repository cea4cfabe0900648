import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Lease, RESTORE, RESTORING, withLease } from "../batch/lease.ts";
import { hintToRun } from "../database/command.ts";
import { tablesVersion } from "../declared.ts";
import { pauseConsumption, queueState, resumeConsumption } from "../ingest/consumption.ts";
import { ensureSchema } from "../schema/ddl.ts";
import { findDifferences } from "../schema/differences.ts";
import { literal } from "../sql.ts";
import { filesOf } from "./snapshot.ts";
import {
  copyOf,
  failureOf,
  findSnapshot,
  readContent,
  type Snapshot,
  snapshotTables,
  stopMerges,
} from "./snapshots.ts";

/** Readers of the topics that the database stores. */
export interface Readers {
  readonly admin: Admin;
  /** Moves the readers to what the copies hold. */
  readonly move: (copies: Database, admin: Admin) => Promise<void>;
}

/** Returns a snapshot that this version can restore. @throws UserError */
export async function requireRestorable(db: Database, name: string): Promise<Snapshot> {
  const snapshot = await findSnapshot(db, name);
  const [server] = await db.rows<{ version: string }>("SELECT version() AS version");
  if (seriesOf(server?.version) < seriesOf(snapshot.clickhouse)) {
    throw new UserError(
      `The snapshot ${name} was written by ClickHouse ${snapshot.clickhouse}, and ${db.label} has ${server?.version}`,
      `restore it with ClickHouse ${snapshot.clickhouse} or later`,
    );
  }
  if (snapshot.schema === tablesVersion()) return snapshot;
  throw new UserError(
    `The snapshot ${name} has the tables of another version: schema ${snapshot.schema}, here ${tablesVersion()}`,
    `check out the commit that \`git log -S ${snapshot.schema} -- sql/schema.json\` names, restore there, then return to this version and run ddl`,
  );
}

const seriesOf = (version = ""): number => {
  const [year, month] = version.split(".").map(Number);
  return (year ?? 0) * 100 + (month ?? 0);
};

/**
 * Replaces the stored rows by those of a snapshot. Nothing changes before the copies equal its manifest; after a cut at
 * any statement, the next restore gives the same tables.
 * @param readers undefined for a database that reads no topics
 */
export async function restoreSnapshot(
  db: Database,
  snapshot: Snapshot,
  readers?: Readers,
): Promise<void> {
  if (!readers && (await queueState(db)) !== "absent") throw unknownBroker(db);
  await requirePresent(db);
  await withLease(db, RESTORE, async (lease) => {
    const held = lease.db;
    await readCopies(held, snapshot);
    const drop = await refuseLoads(held, snapshot.name);
    let isMoved = false;
    try {
      await pauseConsumption(held, readers?.admin);
      isMoved = readers !== undefined;
      // A reader that repeats messages replaces rows, so it moves first.
      await readers?.move(held, readers.admin);
      await prepareExchange(lease, snapshot);
      isMoved = true;
      await exchange(held, snapshot);
    } catch (error) {
      // The server may not answer; then the restore must be repeated.
      if (!isMoved) await drop().catch(() => undefined);
      throw error;
    } finally {
      await resumeConsumption(db);
    }
  });
  await ensureSchema(db);
}

/** The tables of another version may differ, because the restored ones replace them. @throws UserError if one is missing */
async function requirePresent(db: Database): Promise<void> {
  const isMissing = async () =>
    (await findDifferences(db, "all")).some(
      ({ object, what }) => what === "missing" && snapshotTables().includes(object),
    );
  if (!(await isMissing())) return;
  await ensureSchema(db);
  if (await isMissing()) throw new UserError(`${db.label} lacks tables`, hintToRun(db, "ddl"));
}

const unknownBroker = ({ label }: Database): UserError =>
  new UserError(
    `${label} reads topics, and their readers must go back to the snapshot. Nothing was changed`,
    "name the broker with --bootstrap HOST:PORT",
  );

/** Restores into the database of the lease, which also a full disk leaves without a trace, and compares. */
async function readCopies(db: Database, { name, tables }: Snapshot): Promise<void> {
  const names = Object.keys(tables);
  const restore = `RESTORE ${names.map((table) => `TABLE ${table} AS ${copyOf(table)}`).join(", ")} FROM ${filesOf(name)}`;
  try {
    await db.run(`${restore} SETTINGS structure_only = 1`);
    await stopMerges(db, names);
    await db.run(restore);
  } catch (error) {
    throw failureOf(
      error,
      `ClickHouse could not restore the snapshot ${name}. Nothing was changed`,
    );
  }
  const found = await readContent(db, names);
  const differing = names.filter(
    (table) => JSON.stringify(found[table]) !== JSON.stringify(tables[table]),
  );
  if (differing.length === 0) return;
  throw new UserError(
    `The files of the snapshot ${name} differ from its manifest in ${differing.join(", ")}. Nothing was changed`,
    "restore another snapshot",
  );
}

/**
 * Makes loads and `prove` name this restore until it has ended: rows may be half exchanged, or readers ahead of them.
 * @returns what takes it back, unless an earlier restore needs it
 */
async function refuseLoads(db: Database, name: string): Promise<() => Promise<void>> {
  const [earlier] = await db.rows(`SELECT 1 FROM system.databases WHERE name = '${RESTORING}'`);
  await db.run(`CREATE DATABASE IF NOT EXISTS ${RESTORING} COMMENT ${literal(name)}`);
  return async () => {
    if (!earlier) await db.run(`DROP DATABASE ${RESTORING}`);
  };
}

async function prepareExchange({ id, db }: Lease, { tables }: Snapshot): Promise<void> {
  for (const table of Object.keys(tables)) await db.run(`SYSTEM START MERGES ${copyOf(table)}`);
  // The numbers of leases go on after those of both databases.
  await db.run(
    `INSERT INTO ${copyOf("stg.lease")} SELECT * FROM stg.lease WHERE id = {id:UInt64}`,
    { id },
  );
}

async function exchange(db: Database, { tables }: Snapshot): Promise<void> {
  const pairs = Object.keys(tables).map((table) => `${table} AND ${copyOf(table)}`);
  // One statement, which a server finishes also if this process ends.
  await db.run(`EXCHANGE TABLES ${pairs.join(", ")}`);
  await db.run(`DROP DATABASE ${RESTORING}`);
}
