import { cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder } from "../../contract/files.ts";
import type { ImportAccount } from "../../contract/import-account.ts";
import { STREAMS } from "../../contract/streams.ts";
import { FUNNEL_FILE, fileName, IMPORT_FILE } from "../../generator/dataset/format.ts";
import type { ServerDatabase } from "../database/http.ts";
import { openWorkspace } from "../database/open.ts";
import { literal, readQuery, readStatements } from "../sql.ts";
import { storeAgents } from "./agents.ts";
import { openInput, readInput } from "./input.ts";
import { select } from "./select.ts";
import type { Source } from "./source.ts";

/** Folder of a data set with the events of its files, to which later files can be appended. */
const EVENTS = "events";

/** Bounds the memory of a statement; the rest goes to disk. */
const BOUNDED =
  "SETTINGS max_threads = 2, max_bytes_before_external_sort = 200000000, max_bytes_before_external_group_by = 200000000";

export interface ImportResult {
  readonly account: ImportAccount;
  readonly warnings: readonly string[];
  /** The first rejected rows; all are in the file beside. */
  readonly rejected: readonly { path: string; number: number; reason: string; detail: string }[];
}

interface ImportOptions {
  /** Folder of the data set, whose name is that of the data set. */
  readonly dir: string;
  readonly isAppended: boolean;
  readonly onStep: (step: string) => void;
}

/**
 * Writes the events of files as a data set, which replaces an earlier import.
 * @throws UserError if a file or the SELECT cannot be read, no row is an event, or the folder is in use
 */
export async function importFiles(
  files: readonly string[],
  source: Source,
  { dir, isAppended, onStep }: ImportOptions,
): Promise<ImportResult> {
  const [target, partial] = [resolve(dir), `${resolve(dir)}.partial`];
  try {
    requireReplaceable(target, isAppended);
    rmSync(partial, { recursive: true, force: true });
    makeFolder(partial);
    if (isAppended) cpSync(join(target, EVENTS), join(partial, EVENTS), { recursive: true });
    const db = await openWorkspace(join(partial, EVENTS));
    const result = await convert(db, files, source, partial, basename(target), onStep).finally(() =>
      db.close(),
    );
    if (source.funnel) writeJson(join(partial, FUNNEL_FILE), source.funnel);
    writeJson(join(partial, IMPORT_FILE), result.account);
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
    return result;
  } catch (error) {
    throw fileFailure(error, `Data set ${dir}`) ?? error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

const writeJson = (file: string, value: unknown): void =>
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

function requireReplaceable(target: string, isAppended: boolean): void {
  const names = existsSync(target) ? readdirSync(target) : [];
  if (isAppended && !names.includes(EVENTS)) {
    throw new UserError(
      `--append: ${target} is no data set of an import`,
      "leave --append out to begin one",
    );
  }
  if (names.length === 0 || names.includes(IMPORT_FILE)) return;
  throw new UserError(
    `Data set ${target}: the folder is not empty, and no import wrote it (${names.slice(0, 3).join(", ")})`,
    "name a new or an empty folder with --out",
  );
}

async function convert(
  db: ServerDatabase,
  paths: readonly string[],
  source: Source,
  dir: string,
  name: string,
  onStep: (step: string) => void,
): Promise<ImportResult> {
  for (const file of ["files", "functions", "given", "event", "messages"]) {
    if (file === "messages")
      for (const part of readStatements("ddl/40_dm/05_site.sql"))
        await db.run(`CREATE DATABASE IF NOT EXISTS dm_internal`).then(() => db.run(part));
    for (const statement of readStatements(`import/${file}.sql`)) await db.run(statement);
  }
  await db.run("TRUNCATE TABLE data_set");
  await db.run("INSERT INTO data_set SELECT {name:String}", { name });
  const [last] = await db.rows<{ number: number }>("SELECT max(number) AS number FROM file");
  const first = (last?.number ?? 0) + 1;
  const links = join(dir, "files");
  const inputs = paths.map((path, index) =>
    openInput(path, links, first + index, source.format === "lines"),
  );
  onStep(`reading ${paths.length === 1 ? paths[0] : `${paths.length} files`}`);
  const missing = await readInput(db, inputs, source);
  for (const { number, path } of inputs) {
    await db.run(
      `INSERT INTO file SELECT {number:UInt16}, {path:String},
         (SELECT count() FROM input WHERE row.file = {number:UInt16}) + (SELECT count() FROM rejected WHERE file = {number:UInt16})`,
      { number, path },
    );
  }
  rmSync(links, { recursive: true });
  onStep("typing events");
  await select(db, source);
  await db.run(`${readQuery("import/rejected.sql")}`);
  await db.run("DROP TABLE input SYNC");
  await db.run("TRUNCATE TABLE repeated");
  await db.run(`${readQuery("import/repeated.sql")} ${BOUNDED}`);
  await storeAgents(db);
  const account = await accountOf(db, name);
  const rejected = await db.rows<ImportResult["rejected"][number]>(
    "SELECT path, rejected.number AS number, reason, detail FROM rejected JOIN file ON rejected.file = file.number ORDER BY file.number, number LIMIT 5",
  );
  if (account.events === 0) throw nothingFound(account, rejected[0]);
  for (const stream of STREAMS) {
    onStep(`writing ${stream}`);
    await writeFile(db, join(dir, fileName(stream)), `SELECT * FROM ${stream}_message`);
  }
  await writeFile(
    db,
    join(dir, "rejected.jsonl"),
    "SELECT path AS file, rejected.number AS row, reason, detail, content FROM rejected JOIN file ON rejected.file = file.number ORDER BY rejected.file, rejected.number",
  );
  const warnings = await db.rows<{ warning: string }>(
    `${readQuery("import/warnings.sql")} ${BOUNDED}`,
  );
  return {
    account,
    rejected,
    warnings: [
      ...(missing.length > 0 ? [`no row has the columns ${missing.join(", ")}`] : []),
      ...warnings.map(({ warning }) => warning),
    ],
  };
}

const writeFile = (db: ServerDatabase, file: string, query: string): Promise<void> =>
  db.run(
    `INSERT INTO FUNCTION file(${literal(file)}, JSONEachRow) ${query}
     ${BOUNDED}, output_format_compression_level = 1, output_format_json_validate_utf8 = 1, output_format_json_quote_64bit_integers = 0, output_format_json_escape_forward_slashes = 0`,
  );

async function accountOf(db: ServerDatabase, name: string): Promise<ImportAccount> {
  const [outcomes = "", others = ""] = readStatements("import/account.sql");
  const found = await db.rows<{ outcome: string; reason: string; rows: number }>(
    `${outcomes} ${BOUNDED}`,
  );
  const [{ unreadable = 0, left_out: leftOut = 0, further = 0 } = {}] = await db.rows<
    Record<string, number>
  >(`${others} ${BOUNDED}`);
  const files = await db.rows<{ path: string; rows: number }>(
    "SELECT path, rows FROM file ORDER BY number",
  );
  const of = (outcome: string) => found.filter((one) => one.outcome === outcome);
  const sum = (outcome: string) => of(outcome).reduce((total, { rows }) => total + rows, 0);
  const byReason = (outcome: string, reason: string, rows: number) =>
    Object.fromEntries(
      [...of(outcome), { reason, rows }]
        .filter((one) => one.rows > 0)
        .map((one) => [one.reason, one.rows]),
    );
  return {
    name,
    files,
    events: sum("event"),
    equal: sum("equal row"),
    repeated: sum("repeated id"),
    further,
    rejected: byReason("rejected", "unreadable row", unreadable),
    skipped: byReason("skipped", "left out by the SELECT", leftOut),
  };
}

function nothingFound(
  { files }: ImportAccount,
  example: ImportResult["rejected"][number] | undefined,
): UserError {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const why =
    example === undefined
      ? ""
      : `: ${example.path}, row ${example.number}: ${example.reason} ${example.detail}`;
  return new UserError(
    `None of ${rows} rows is an event; nothing was written${why}`,
    "correct the SELECT, or write a new one: pipeline import FILE --write-select NEW_FILE",
  );
}
