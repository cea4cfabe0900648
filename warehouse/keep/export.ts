import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseError, UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder } from "../../contract/files.ts";
import type { ReadableDatabase } from "../../contract/ports.ts";
import { hintToRun } from "../database/command.ts";

export interface ExportOptions {
  /** Folder of the files. */
  readonly to: string;
  /** Writes one file per day, in a folder per table. */
  readonly byDay?: true;
  /** Replaces what the folder has of the same tables. */
  readonly replace?: true;
}

export interface Exported {
  readonly table: string;
  readonly path: string;
  readonly files: number;
  readonly rows: number;
}

/** Folder of files that are not complete. */
const UNFINISHED = ".unfinished";

/** Writes tables and views as Parquet files, which appear only when all are complete. @throws UserError */
export async function exportTables(
  db: ReadableDatabase,
  names: readonly string[],
  { to, byDay, replace }: ExportOptions,
): Promise<Exported[]> {
  const tables: Table[] = [];
  for (const name of new Set(names)) tables.push(await findTable(db, name, byDay));
  const draft = join(to, UNFINISHED);
  try {
    requireEmpty(to, replace);
    rmSync(draft, { recursive: true, force: true });
    makeFolder(draft);
    const written = [];
    for (const table of tables) written.push(await writeTable(db, draft, table));
    return written.map((one) => ({ ...one, path: publish(to, one) }));
  } catch (error) {
    throw fileFailure(error, `--to ${to}`) ?? error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

interface Table {
  readonly table: string;
  /** Database and name, for the statements. */
  readonly id: { readonly database: string; readonly name: string };
  /** Column of a row's day; null to write one file. */
  readonly day: string | null;
}

/** Finds a table, and its day: the first column of type Date, else the first time. @throws UserError without them */
async function findTable(db: ReadableDatabase, table: string, byDay?: true): Promise<Table> {
  const columns = await db.rows<{ column: string; database: string; name: string }>(
    `SELECT database, table AS name, if(type = 'Date' OR type LIKE 'DateTime%', columns.name, '') AS column
     FROM system.columns WHERE database || '.' || table = {table:String}
     ORDER BY column = '', type != 'Date', position`,
    { table },
  );
  const [first] = columns;
  if (first === undefined) {
    throw new UserError(
      `There is no table ${table}. Allowed: LAYER.TABLE, such as dm.session`,
      hintToRun(db, 'query "SHOW TABLES FROM dm"', 'make query SQL="SHOW TABLES FROM dm"'),
    );
  }
  const { column, ...id } = first;
  if (!byDay) return { table, id, day: null };
  if (column !== "") return { table, id, day: column };
  throw new UserError(
    `${table} has no column of type Date or DateTime`,
    "export it without --by-day",
  );
}

/** @throws UserError if the folder has other files and may not be changed */
function requireEmpty(to: string, replace: true | undefined): void {
  const found = existsSync(to) ? readdirSync(to).filter((name) => name !== UNFINISHED) : [];
  if (replace || found.length === 0) return;
  throw new UserError(
    `--to ${to} is not empty. Nothing was written`,
    "add --replace to replace the files of these tables, or choose another folder",
  );
}

interface Draft extends Omit<Exported, "path"> {
  /** Path in the folder of the export. */
  readonly name: string;
  readonly draft: string;
}

const ROWS = "FROM {database:Identifier}.{name:Identifier}";

async function writeTable(db: ReadableDatabase, folder: string, found: Table): Promise<Draft> {
  const { table, id, day: column } = found;
  const write = (file: string, condition = "", params = {}) =>
    db
      .write(file, `SELECT * ${ROWS} ${condition}`, "Parquet", { ...id, ...params })
      .catch((error: unknown) => {
        throw explained(error, db, table);
      });
  if (column === null) {
    const name = `${table}.parquet`;
    const draft = join(folder, name);
    return { table, name, draft, files: 1, rows: await write(draft) };
  }
  const draft = join(folder, table);
  makeFolder(draft);
  const listDays = `SELECT DISTINCT toDate({column:Identifier}) AS day ${ROWS} ORDER BY day`;
  const days = await db.rows<{ day: string }>(listDays, { ...id, column });
  const ofDay = "WHERE toDate({column:Identifier}) = {day:Date}";
  let rows = 0;
  for (const { day } of days) {
    rows += await write(join(draft, `${day}.parquet`), ofDay, { column, day });
  }
  return { table, name: table, draft, files: days.length, rows };
}

function explained(error: unknown, db: ReadableDatabase, table: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const read = `query "SELECT * FROM ${table} LIMIT 1"`;
  return new UserError(
    `${table} cannot be read, so nothing was exported: ${error.message}`,
    hintToRun(db, read, `make query SQL="SELECT * FROM ${table} LIMIT 1"`),
  );
}

/** Moves a finished file or folder to its place, instead of an earlier export of the table. */
function publish(to: string, { table, name, draft }: Draft): string {
  const path = join(to, name);
  const other = join(to, name === table ? `${table}.parquet` : table);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
  renameSync(draft, path);
  rmSync(other, { recursive: true, force: true });
  return path;
}
