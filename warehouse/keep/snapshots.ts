import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json.ts";
import type { Database } from "../../contract/ports.ts";
import { runDocker } from "../../terminal/docker.ts";
import { commandOn } from "../database/command.ts";
import { readDeclared } from "../declared.ts";
import { SNAPSHOTS_MACRO } from "../engine/configuration.ts";
import { literal } from "../sql.ts";

/** Names of files in the folder of a snapshot: the first that is written, and the last. */
const STARTED = "started.json";
const MANIFEST = "manifest.json";

const started = z.object({
  /** Whose rows it has: directory of a workspace, or id of a server; only the owner uses or deletes it by itself. */
  owner: z.string(),
});

const content = z.record(z.string(), z.object({ rows: z.number(), digest: z.string() }));
export type Content = z.infer<typeof content>;

const manifest = started.extend({
  /** When it was made, UTC. */
  time: z.string(),
  /** True if the user named it; such a snapshot is kept until it is deleted. */
  isNamed: z.boolean(),
  /** Full snapshot that has the files that did not change since; null for a full one. */
  base: z.string().nullable(),
  /** Version of ClickHouse that wrote it. */
  clickhouse: z.string(),
  /** Digest of the tables, as in sql/schema.json. */
  schema: z.string(),
  /** Size without its base. */
  bytes: z.number(),
  tables: content,
});
export type Snapshot = z.infer<typeof manifest> & { readonly name: string };

export interface Snapshots {
  /** Folder as the engine sees it. */
  readonly folder: string;
  /** From the oldest to the latest. */
  readonly finished: readonly Snapshot[];
  /** Without a manifest: remains of interrupted commands, or snapshots being made. */
  readonly unfinished: readonly (Partial<z.infer<typeof started>> & { readonly name: string })[];
  /** Names of those whose manifest is damaged, or of another format. */
  readonly unreadable: readonly string[];
}

/** Reads the snapshots that a database can restore. @throws UserError if the server has no folder for them */
export async function readSnapshots(db: Database): Promise<Snapshots> {
  const folder = await snapshotFolder(db);
  const files = await db.rows<{ path: string; text: string }>(
    `SELECT _path AS path, text
     FROM file(${literal(`${folder}/*/{${STARTED},${MANIFEST}}`)}, RawBLOB, 'text String')`,
  );
  const read = files.map(({ path, text }) => {
    const [name = "", file] = path.split("/").slice(-2);
    // A killed command may leave a part of a file.
    return { name, file, value: parseJson(text) };
  });
  const manifests = read.filter(({ file }) => file === MANIFEST);
  const finished = manifests.flatMap(({ name, value }) => {
    const { data } = manifest.safeParse(value);
    return data ? [{ ...data, name }] : [];
  });
  const without = (names: readonly { readonly name: string }[]) => (one: { name: string }) =>
    names.every(({ name }) => name !== one.name);
  return {
    folder,
    finished: finished.toSorted((a, b) => a.time.localeCompare(b.time)),
    unfinished: read
      .filter(without(manifests))
      .map(({ name, value }) => ({ ...started.safeParse(value).data, name })),
    unreadable: manifests.filter(without(finished)).map(({ name }) => name),
  };
}

async function snapshotFolder(db: Database): Promise<string> {
  const [macro] = await db.rows<{ folder: string }>(
    `SELECT substitution AS folder FROM system.macros WHERE macro = '${SNAPSHOTS_MACRO}'`,
  );
  if (macro) return macro.folder;
  throw new UserError(
    `${db.label} has no folder for snapshots`,
    `give the server the macro ${SNAPSHOTS_MACRO}, as docs/how-to/back-up-and-restore.md says`,
  );
}

/** @throws UserError if there is no such snapshot, or its base is missing */
export async function findSnapshot(db: Database, name: string): Promise<Snapshot> {
  const { finished, unfinished, unreadable } = await readSnapshots(db);
  const found = finished.find((one) => one.name === name);
  if (found && hasBase(found, finished)) return found;
  const missing = found?.base ?? name;
  const isStarted = unfinished.some((one) => one.name === missing);
  const state = isStarted ? "is not complete" : "does not exist";
  const what = unreadable.includes(missing) ? "has a manifest that is not readable" : state;
  throw new UserError(
    `The snapshot ${found ? `${name} needs files of ${missing}, which` : name} ${what}`,
    `run \`${commandOn(db, "snapshots")}\` to list them`,
  );
}

/** False if the files that it needs are gone. */
export const hasBase = ({ base }: Pick<Snapshot, "base">, all: readonly Snapshot[]): boolean =>
  base === null || all.some(({ name }) => name === base);

/** Returns the size of a snapshot's own files. */
export async function sizeOnDisk(db: Database, folder: string, name: string): Promise<number> {
  const [size] = await db.rows<{ bytes: number }>(
    `SELECT sum(_size) AS bytes FROM file(${literal(`${folder}/${name}/data/**`)}, One)`,
  );
  return size?.bytes ?? 0;
}

/** Writes the file that reserves the name, or the one that finishes the snapshot. */
export async function writeRecord(
  db: Database,
  folder: string,
  { name, ...record }: Snapshot | Snapshots["unfinished"][number],
): Promise<void> {
  const path = `${folder}/${name}/${"tables" in record ? MANIFEST : STARTED}`;
  await db.run(
    `INSERT INTO FUNCTION file(${literal(path)}, RawBLOB, 'text String')
     SELECT ${literal(JSON.stringify(record))}`,
  );
}

/** Container of the stack's ClickHouse, which the stack's client names. */
const container = () => process.env.SNAPSHOTS_CONTAINER;

/** True if this process reaches the files, which SQL cannot delete. */
export const canDelete = (db: Database): boolean =>
  db.directory !== undefined || container() !== undefined;

/** Deletes folders of snapshots. @throws UserError if this process does not reach the files */
export async function deleteFolders(
  db: Database,
  folder: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  // Without its manifest, a partly deleted snapshot is not listed.
  const paths = names.flatMap((name) => [join(folder, name, MANIFEST), join(folder, name)]);
  if (db.directory !== undefined) {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    return;
  }
  const service = container();
  if (service === undefined) {
    throw new UserError(
      `This command cannot reach the files of ${db.label}. Nothing was deleted`,
      `on the server, remove ${paths.join(" ")}`,
    );
  }
  await runDocker("exec", service, "rm", "-rf", "--", ...paths);
}

/** Returns the owner of new snapshots. A server keeps its id as long as its data. */
export async function ownerOf(db: Database): Promise<string> {
  if (db.directory !== undefined) return resolve(db.directory);
  const [server] = await db.rows<{ id: string }>("SELECT toString(serverUUID()) AS id");
  return `server ${server?.id}`;
}

/** Tables with rows of their own, except what is known of erased visitors, and what layers keep: a restore leaves both. */
export const snapshotTables = (): string[] =>
  readDeclared().flatMap(({ object, engine }) =>
    engine.endsWith("MergeTree") && !/^stg\.(eras|retention$)/.test(object) ? [object] : [],
  );

/** Name of a table's copy in the database of the lease. */
export const copyOf = (table: string): string => `\`${table}\``;

/** Copies that no merge changes, so that a digest belongs to the same rows as a backup or a restore. */
export async function stopMerges(db: Database, tables: readonly string[]): Promise<void> {
  for (const table of tables) await db.run(`SYSTEM STOP MERGES ${copyOf(table)}`);
}

/** Reads every row of the copies. */
export async function readContent(db: Database, tables: readonly string[]): Promise<Content> {
  const selects = tables.map(
    (table) =>
      // A tuple, because the hash of a NULL would be a NULL.
      `SELECT ${literal(table)} AS name, count() AS rows, hex(sum(cityHash64(tuple(*)))) AS digest FROM ${copyOf(table)}`,
  );
  const found = await db.rows<{ name: string; rows: number; digest: string }>(
    selects.join(" UNION ALL "),
  );
  return Object.fromEntries(found.map(({ name, ...one }) => [name, one]));
}

/** Returns what to throw for an error of BACKUP or RESTORE; that of a full disk may have no code of ClickHouse. */
export function failureOf(error: unknown, what: string): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error;
  const [line = ""] = error.message.split("\n");
  const isFull = /no space left|not enough space|bytes were written/i.test(line);
  return new UserError(
    `${what}: ${line}`,
    isFull ? "make room on the disk, then retry" : "correct what ClickHouse says, then retry",
  );
}
