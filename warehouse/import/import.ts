import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { fileFailure, makeFolder } from "../../contract/files.ts";
import { type ImportAccount, rowsOf } from "../../contract/import-account.ts";
import { DEFAULT_FUNNEL, type Site } from "../../contract/site.ts";
import { STREAMS } from "../../contract/streams.ts";
import {
  engineFileName,
  IMPORT_FILE,
  REJECTED_FILE,
  SITE_FILE,
} from "../../generator/dataset/format.ts";
import type { ServerDatabase } from "../database/http.ts";
import { openWorkspace } from "../database/open.ts";
import { literal, readQuery, readStatements } from "../sql.ts";
import { storeAgents } from "./agents.ts";
import { columnsOf, type Input, openInput, recognise } from "./files.ts";
import { readInput } from "./input.ts";
import { GUIDE, type Source } from "./source.ts";
import { typeEvents } from "./typed.ts";

/** Folder of a data set with the events of its files, to which later files can be appended. */
const EVENTS = "typed";

/** Bounds the memory of a statement; the rest goes to disk. */
const BOUNDED =
  "SETTINGS max_threads = 2, max_bytes_before_external_sort = 200000000, max_bytes_before_external_group_by = 200000000";

/** Slices of the table `event`, each of whole sessions. */
const SLICES = 64;
const ROWS_AT_ONCE = 500_000;

const SKIP_BOTS = `ALTER TABLE event UPDATE skipped = 'a bot'
  WHERE user_agent IN (SELECT user_agent FROM agent WHERE device = 'Bot') SETTINGS mutations_sync = 1`;

interface RejectedRow {
  readonly file: string;
  readonly row: number;
  readonly reason: string;
  readonly detail: string;
}

export interface ImportResult {
  /** Name of the source. */
  readonly source: string;
  readonly account: ImportAccount;
  readonly warnings: readonly string[];
  /** The first rejected rows. */
  readonly rejected: readonly RejectedRow[];
}

interface ImportOptions {
  /** Folder of the data set, whose name is that of the data set. */
  readonly dir: string;
  readonly isAppended?: boolean;
  /** Counts the events of bots as skipped. */
  readonly skipsBots?: boolean;
  /** Rows of which sessions are computed together, in memory. */
  readonly rowsAtOnce?: number;
  readonly onStep?: (ratio: number, step: string) => void;
}

/**
 * Writes the events of files as a data set, which replaces an earlier import.
 * @param source default: the one whose columns the files have
 * @throws UserError if a file or the SELECT cannot be read, no row is an event, or the folder is in use
 */
export async function importFiles(
  files: readonly string[],
  source: Source | undefined,
  options: ImportOptions,
): Promise<ImportResult> {
  const { dir, isAppended = false } = options;
  const [target, partial] = [resolve(dir), `${resolve(dir)}.partial`];
  try {
    requireReplaceable(target, isAppended);
    rmSync(partial, { recursive: true, force: true });
    makeFolder(partial);
    if (isAppended) {
      cpSync(join(target, EVENTS), join(partial, EVENTS), { recursive: true });
      if (existsSync(join(target, SITE_FILE)))
        cpSync(join(target, SITE_FILE), join(partial, SITE_FILE));
    }
    const db = await openWorkspace(join(partial, EVENTS));
    const result = await fill(db, basename(target), partial, files, source, options).finally(() =>
      db.close(),
    );
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
    return result;
  } catch (error) {
    throw fileFailure(error, `Data set ${dir}`) ?? error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Writes the files of the data set. */
async function fill(
  db: ServerDatabase,
  name: string,
  dir: string,
  files: readonly string[],
  wanted: Source | undefined,
  { skipsBots = false, onStep = () => {}, rowsAtOnce = ROWS_AT_ONCE }: ImportOptions,
): Promise<ImportResult> {
  await createTables(db, name);
  const { source, warnings } = await readEvents(db, files, wanted, onStep);
  await storeAgents(db);
  if (skipsBots) await db.run(SKIP_BOTS);
  const result = await writeMessages(db, dir, rowsAtOnce, onStep);
  const { funnel, timezone } = source;
  const site = { ...readSite(dir), ...(funnel && { funnel }), ...(timezone && { timezone }) };
  if (Object.keys(site).length > 0) writeJson(join(dir, SITE_FILE), site);
  writeJson(join(dir, IMPORT_FILE), result.account);
  const found = await db.rows<{ warning: string }>(
    `${readQuery("import/warnings.sql")} ${BOUNDED}`,
    { pages: (funnel ?? DEFAULT_FUNNEL).flatMap((stage) => stage.pages) },
  );
  const all = [...warnings, ...found.map(({ warning }) => warning)];
  return { ...result, source: source.name, warnings: all };
}

/** Returns what earlier files of the data set say of its site. */
const readSite = (dir: string): Site =>
  existsSync(join(dir, SITE_FILE)) ? JSON.parse(readFileSync(join(dir, SITE_FILE), "utf8")) : {};

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

async function createTables(db: ServerDatabase, name: string): Promise<void> {
  await db.run("CREATE DATABASE IF NOT EXISTS dm_internal");
  const files = ["functions", "files", "given", "event", "messages"];
  for (const file of [
    "ddl/40_dm/05_referring_site.sql",
    ...files.map((one) => `import/${one}.sql`),
  ])
    for (const statement of readStatements(file)) await db.run(statement);
  await db.run("TRUNCATE TABLE data_set");
  await db.run("INSERT INTO data_set (name) SELECT {name:String}", { name });
}

/** Reads files into the table `event`. @throws UserError if the first is of no source that is known */
async function readEvents(
  db: ServerDatabase,
  paths: readonly string[],
  wanted: Source | undefined,
  onStep: (ratio: number, step: string) => void,
): Promise<{ source: Source; warnings: string[] }> {
  const [last] = await db.rows<{ number: number }>("SELECT max(number) AS number FROM file");
  const links = `${db.directory}.links`;
  rmSync(links, { recursive: true, force: true });
  try {
    const inputs: Input[] = [];
    for (const path of paths)
      inputs.push(await openInput(db, path, (last?.number ?? 0) + inputs.length + 1, links));
    const source = wanted ?? (await recognised(db, inputs[0] as Input));
    if (source.hosts.length > 0)
      await db.run(
        "ALTER TABLE data_set UPDATE hosts = {hosts:Array(String)} WHERE true SETTINGS mutations_sync = 1",
        { hosts: source.hosts },
      );
    const warnings = await readInput(db, inputs, source, (ratio, step) => onStep(ratio / 2, step));
    onStep(0.5, "typing events");
    await typeEvents(db, source);
    await db.run(readQuery("import/rejected.sql"));
    await db.run("DROP TABLE input SYNC");
    return { source, warnings };
  } finally {
    rmSync(links, { recursive: true, force: true });
  }
}

async function recognised(db: ServerDatabase, input: Input): Promise<Source> {
  const source = await recognise(db, input);
  if (source) return source;
  const names = (await columnsOf(db, input)).map(({ name }) => name);
  throw new UserError(
    `${input.path} has the columns of no source that is known: ${names.join(", ")}`,
    `write a SELECT: pipeline import ${quote(input.path)} --write-select my.sql`,
  );
}

/** Writes the messages of all events, and says what became of the rows. */
async function writeMessages(
  db: ServerDatabase,
  dir: string,
  rowsAtOnce: number,
  onStep: (ratio: number, step: string) => void,
): Promise<Pick<ImportResult, "account" | "rejected">> {
  await db.run("TRUNCATE TABLE repeated");
  await db.run(`${readQuery("import/repeated.sql")} ${BOUNDED}`);
  const [account] = await db.rows<ImportAccount>(`${readQuery("import/account.sql")} ${BOUNDED}`);
  if (account === undefined) throw new Error("an account has one row");
  // A SELECT that reads no time leaves no text of it.
  const rejected = await db.rows<RejectedRow>(
    `SELECT file, row, reason, if(detail = '' AND reason = 'no readable time', substring(content, 1, 200), detail) AS detail
     FROM rejected_row LIMIT 5`,
  );
  if (account.events === 0) throw nothingFound(account, rejected[0]);
  const parts = Math.min(SLICES, Math.ceil(rowsOf(account) / rowsAtOnce));
  for (const [index, stream] of STREAMS.entries()) {
    // The sites of all pages say which referrers of an address are internal.
    const count = stream === "location" ? 1 : parts;
    for (let part = 0; part < count; part += 1) {
      onStep(0.7 + (index + part / count) * 0.07, `writing ${stream} messages`);
      const [from, to] = [part, part + 1].map((one) => Math.floor((one * SLICES) / count));
      const filter = `slice >= ${from} AND slice < ${to}`;
      await writeFile(db, join(dir, engineFileName(stream)), `${stream}_message`, filter);
    }
  }
  await writeFile(db, join(dir, REJECTED_FILE), "rejected_row");
  return { account, rejected };
}

/** Adds rows of a view to a file. @param filter of the rows of the table `event` */
const writeFile = (db: ServerDatabase, file: string, view: string, filter = "1"): Promise<void> =>
  db.run(
    `INSERT INTO FUNCTION file(${literal(file)}, JSONEachRow) SELECT * FROM ${view}
     ${BOUNDED}, additional_table_filters = {'event': ${literal(filter)}}, output_format_compression_level = 1, output_format_json_validate_utf8 = 1, output_format_json_quote_64bit_integers = 0, output_format_json_escape_forward_slashes = 0`,
  );

function nothingFound(account: ImportAccount, example: RejectedRow | undefined): UserError {
  const { file, row, reason, detail } = example ?? {};
  const why = example === undefined ? "" : `: ${file}, row ${row}: ${reason} ${detail}`;
  return new UserError(
    `None of ${rowsOf(account)} rows is an event; nothing was written${why}`,
    reason === "no readable time"
      ? `correct the time in the SELECT, such as time_by(present(column), 'dd.MM.yyyy HH:mm:ss', 'Europe/Berlin') (${GUIDE})`
      : "correct the SELECT, or write a new one: pipeline import FILE --write-select NEW_FILE",
  );
}
