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
import {
  DEFAULT_FUNNEL,
  SESSION_PAUSE_MINUTES,
  type Site,
  siteSchema,
} from "../../contract/site.ts";
import { OPTIONAL_FIELDS, STREAMS, type StreamName } from "../../contract/streams.ts";
import {
  engineFileName,
  IMPORT_FILE,
  REJECTED_FILE,
  SITE_FILE,
} from "../../generator/dataset/format.ts";
import type { ServerDatabase } from "../database/http.ts";
import { openWorkspace } from "../database/open.ts";
import { sideBySide } from "../database/side-by-side.ts";
import { accountText } from "../reconciliation/imports.ts";
import { literal, readQuery, readStatements } from "../sql.ts";
import { storeAgents } from "./agents.ts";
import { keepEarlierLines } from "./appended.ts";
import { SLICES, typeEvents } from "./events.ts";
import { columnsOf, type Input, linksOf, openInput, recognise } from "./files.ts";
import { readInput } from "./input.ts";
import { messagesOf } from "./messages.ts";
import { GUIDE, isShipped, type Source } from "./source.ts";

/** Folder of a dataset with the events of its files, to which later files can be appended. */
export const EVENTS = "typed";

/** Bounds the memory of a statement; the rest goes to disk. */
const BOUNDED =
  "SETTINGS max_threads = 2, max_bytes_before_external_sort = 200000000, max_bytes_before_external_group_by = 200000000";

/** Stream whose rows are in order; merging those of two threads costs more than it saves. */
const SORTED: StreamName = "browser";

/** Bounds the memory of sessions. */
const ROWS_AT_ONCE = 500_000;

/** Appended files keep the sites of earlier ones. */
const NAME_DATA_SET = `CREATE OR REPLACE TABLE data_set ENGINE = MergeTree ORDER BY name AS
  SELECT {name:String} AS name, arrayDistinct(arrayConcat((SELECT groupArrayArray(hosts) FROM data_set), {hosts:Array(String)})) AS hosts,
    {session_pause:UInt16} AS session_pause`;

const SKIP_BOTS = `ALTER TABLE event UPDATE skipped = 'a bot'
  WHERE user_agent IN (SELECT user_agent FROM agent WHERE device = 'Bot') SETTINGS mutations_sync = 1`;

const IS_ORDER = "event_type = 'purchase' AND order_id != '' AND rejected = '' AND skipped = ''";

/** Purchases after the first one of their order; those of one id are equal rows, or repeat an id. */
const REPEATED_ORDERS = `CREATE OR REPLACE TABLE repeated_order ENGINE = Memory AS
  SELECT DISTINCT order_id, visitor_id, event_id FROM event
  WHERE ${IS_ORDER} AND (order_id, visitor_id, event_id) NOT IN (
    SELECT order_id, visitor_id, argMin(event_id, (at, row)) FROM event WHERE ${IS_ORDER} GROUP BY order_id, visitor_id)`;

const SKIP_REPEATED_ORDERS = `ALTER TABLE event UPDATE skipped = 'an order again'
  WHERE ${IS_ORDER} AND (order_id, visitor_id, event_id) IN (SELECT * FROM repeated_order) SETTINGS mutations_sync = 1`;

/** The first purchase of an order counts. A mutation runs its subquery for each part of the table. */
async function skipRepeatedOrders(db: ServerDatabase): Promise<void> {
  await db.run(`${REPEATED_ORDERS} ${BOUNDED}`);
  const repeated = await db.rows("SELECT 1 FROM repeated_order LIMIT 1");
  if (repeated.length > 0) await db.run(SKIP_REPEATED_ORDERS);
  await db.run("DROP TABLE repeated_order SYNC");
}

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

export interface ImportOptions {
  /** Folder of the dataset, whose name is that of the dataset. */
  readonly dir: string;
  readonly isAppended?: boolean;
  /** Counts the events of bots as skipped. */
  readonly skipsBots?: boolean;
  /** Rows of which sessions are computed together, in memory. */
  readonly rowsAtOnce?: number;
  readonly onStep?: (ratio: number, step: string) => void;
  /** Opens the folder of the events; default: as a workspace. */
  readonly open?: (directory: string) => Promise<ServerDatabase>;
}

/**
 * Writes the events of files as a dataset, which replaces an earlier import.
 * @param wanted source; default: the one whose columns the first file has
 * @throws UserError if a file or the SELECT cannot be read, no row is an event, or the folder is in use
 */
export async function importFiles(
  paths: readonly string[],
  wanted: Source | undefined,
  options: ImportOptions,
): Promise<ImportResult> {
  const { dir, isAppended = false, skipsBots = false, onStep = () => {}, open } = options;
  const work = async (db: ServerDatabase, partial: string): Promise<ImportResult> => {
    await createTables(db);
    const inputs = await openInputs(db, paths);
    const source = wanted ?? (await requireRecognised(db, inputs[0] as Input));
    const { session_pause = SESSION_PAUSE_MINUTES } = siteOf(partial, source);
    const name = basename(resolve(dir));
    await db.run(NAME_DATA_SET, { name, hosts: source.hosts, session_pause });
    const warnings = await readInput(db, inputs, source, (ratio, step) => onStep(ratio / 2, step));
    await requireUnchanged(db, dir, source);
    onStep(0.5, "typing events");
    await typeEvents(db, source);
    await storeAgents(db);
    if (skipsBots) await db.run(SKIP_BOTS);
    await skipRepeatedOrders(db);
    const account = await findAccount(db);
    const rejected = await firstRejected(db);
    if (account.events === 0) throw nothingFound(account, rejected[0]);
    await writeFiles(db, partial, account, options);
    writeSite(partial, source);
    warnings.push(...(await likelyMistakes(db, source)));
    return { source: source.name, account, warnings, rejected };
  };
  return replaceDataSet(resolve(dir), isAppended, work, open);
}

/** Writes a dataset again after `change` has changed its events. */
export const rewriteDataSet = (
  dir: string,
  change: (db: ServerDatabase) => Promise<void>,
): Promise<void> =>
  replaceDataSet(resolve(dir), true, async (db, partial) => {
    await createTables(db);
    await change(db);
    await writeFiles(db, partial, await findAccount(db), {});
  });

async function findAccount(db: ServerDatabase): Promise<ImportAccount> {
  await db.run(`${readQuery("import/repeated.sql")} ${BOUNDED}`);
  const [account] = await db.rows<ImportAccount>(`${readQuery("import/account.sql")} ${BOUNDED}`);
  if (account === undefined) throw new Error("an account has one row");
  return account;
}

async function writeFiles(
  db: ServerDatabase,
  dir: string,
  account: ImportAccount,
  {
    dir: earlier,
    isAppended,
    rowsAtOnce = ROWS_AT_ONCE,
    onStep = () => {},
  }: Partial<ImportOptions>,
): Promise<void> {
  const parts = Math.ceil(rowsOf(account) / rowsAtOnce);
  await writeMessages(db, dir, Math.min(parts, SLICES), onStep);
  await writeRows(db, "SELECT * FROM rejected_row", join(dir, REJECTED_FILE));
  const kept =
    isAppended && earlier && (await keepEarlierLines(db, resolve(earlier), dir, BOUNDED));
  const written_at = kept || new Date().toISOString();
  writeJson(join(dir, IMPORT_FILE), { ...account, written_at });
}

/** Replaces a dataset by what `work` writes to a folder beside it, with the events of the earlier one to append to. */
async function replaceDataSet<T>(
  target: string,
  isAppended: boolean,
  work: (db: ServerDatabase, partial: string) => Promise<T>,
  open = openWorkspace,
): Promise<T> {
  const partial = `${target}.partial`;
  try {
    requireReplaceable(target, isAppended);
    rmSync(partial, { recursive: true, force: true });
    makeFolder(partial);
    for (const kept of isAppended ? [EVENTS, SITE_FILE] : [])
      if (existsSync(join(target, kept)))
        cpSync(join(target, kept), join(partial, kept), { recursive: true });
    const db = await open(join(partial, EVENTS));
    const result = await work(db, partial).finally(() => db.close());
    rmSync(linksOf(db), { recursive: true, force: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
    return result;
  } catch (error) {
    throw fileFailure(error, `Dataset ${target}`) ?? error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function requireReplaceable(target: string, isAppended: boolean): void {
  const names = existsSync(target) ? readdirSync(target) : [];
  if (isAppended && !names.includes(EVENTS)) {
    throw new UserError(
      `--append: ${target} is not a dataset of an import`,
      "omit --append to create one",
    );
  }
  if (names.length === 0 || names.includes(IMPORT_FILE)) return;
  throw new UserError(
    `Dataset ${target}: the folder is not empty, and no import wrote it (${names.slice(0, 3).join(", ")})`,
    "name a new or an empty folder with --out",
  );
}

/** Creates the tables of an import, and empties the one that does not last. Optional fields are columns of events. */
export async function createTables(db: ServerDatabase): Promise<void> {
  const { apart = [], then = [] } = Object.groupBy(
    [
      ...["ddl/40_dm/01_functions", "ddl/40_dm/05_referring_site"],
      ...["functions", "files", "given", "event", "messages"].map((name) => `import/${name}`),
    ].flatMap((file) => readStatements(`${file}.sql`)),
    (statement) => (NEEDS_NONE.test(statement) ? "apart" : "then"),
  );
  await db.run("CREATE DATABASE IF NOT EXISTS dm_internal");
  await sideBySide(apart.map((statement) => db.run(statement)));
  await sideBySide(["given", "event"].map((table) => db.run(`ALTER TABLE ${table} ${OPTIONAL}`)));
  for (const statement of [...then, "TRUNCATE TABLE repeated"]) await db.run(statement);
}

/** A function or a table, whose statement needs no other one. */
const NEEDS_NONE = /^CREATE (OR REPLACE )?(FUNCTION|TABLE) /m;

const OPTIONAL = Object.entries(OPTIONAL_FIELDS)
  .map(([name, { column }]) => `ADD COLUMN IF NOT EXISTS ${name} ${column}`)
  .join(", ");

/** Opens files, whose numbers continue those of the dataset. */
async function openInputs(db: ServerDatabase, paths: readonly string[]): Promise<Input[]> {
  const [last] = await db.rows<{ number: number }>("SELECT max(number) AS number FROM file");
  const inputs: Input[] = [];
  for (const path of paths)
    inputs.push(await openInput(db, path, (last?.number ?? 0) + inputs.length + 1));
  return inputs;
}

/** @throws UserError if a file was read before with other rows or another SELECT, because it would count twice */
async function requireUnchanged(db: ServerDatabase, dir: string, source: Source): Promise<void> {
  const files = await db.rows<{ path: string; change: string }>(
    `SELECT path, multiIf(place NOT IN (SELECT place FROM file GROUP BY place HAVING uniqExact(content, select) > 1), '',
       content != first_value(content) OVER (PARTITION BY place ORDER BY number), 'other content', 'another SELECT') AS change
     FROM file ORDER BY number`,
  );
  const changed = files.findLast(({ change }) => change !== "");
  if (changed === undefined) return;
  const paths = [...new Set(files.map(({ path }) => quote(path)))];
  const all = paths.length > 9 ? "FILES" : paths.join(" ");
  const how = isShipped(source) ? `--from ${source.name}` : `--select ${quote(source.file)}`;
  throw new UserError(
    `${changed.path} was read before with ${changed.change}, so that its rows would count twice; nothing was written`,
    `read the files again, without --append: pipeline import ${all} ${how} --out ${quote(dir)}; or give a file of further rows another name`,
  );
}

async function requireRecognised(db: ServerDatabase, input: Input): Promise<Source> {
  const source = await recognise(db, input);
  if (source) return source;
  const names = (await columnsOf(db, input)).map(({ name }) => name);
  throw new UserError(
    `${input.path} matches no known source by its columns: ${names.join(", ")}`,
    `write a SELECT: pipeline import ${quote(input.path)} --write-select my.sql`,
  );
}

/** Returns the first rejected rows, each with the text that is rejected, or the whole row if its time is empty. */
const firstRejected = (db: ServerDatabase): Promise<RejectedRow[]> =>
  db.rows<RejectedRow>(
    `SELECT file, row, reason, if(detail = '' AND reason = 'no readable time', substring(content, 1, 200), detail) AS detail
     FROM rejected_row LIMIT 5`,
  );

/** @param parts in which what is of sessions is computed */
async function writeMessages(
  db: ServerDatabase,
  dir: string,
  parts: number,
  onStep: (ratio: number, step: string) => void,
): Promise<void> {
  const slices = Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((one) => Math.floor((one * SLICES) / parts));
    return `slice >= ${from} AND slice < ${to}`;
  });
  const filters: Record<StreamName, readonly string[]> = {
    // Sessions of one visitor are in several slices if the file has them, and keep the order of their rows.
    browser:
      parts === 1
        ? slices
        : ["has_session", ...slices.map((slice) => `NOT has_session AND ${slice}`)],
    // The sites of all pages say which referrers of an address are internal.
    location: ["1"],
    device: slices,
    geo: slices,
  };
  for (const [index, stream] of STREAMS.entries()) {
    const file = join(dir, engineFileName(stream));
    for (const [part, filter] of filters[stream].entries()) {
      onStep(0.7 + (index + part / filters[stream].length) * 0.07, `writing ${stream} messages`);
      await writeRows(db, messagesOf(stream), file, filter, stream === SORTED);
    }
  }
}

/** Adds rows of a SELECT to a file. @param filter of the rows of the table `event` */
const writeRows = (
  db: ServerDatabase,
  select: string,
  file: string,
  filter = "1",
  isSorted = false,
): Promise<void> =>
  db.run(
    `INSERT INTO FUNCTION file(${literal(file)}, JSONEachRow) ${select}
     ${BOUNDED}${isSorted ? ", max_threads = 1" : ""}, additional_table_filters = {'event': ${literal(filter)}}, output_format_compression_level = 1, output_format_json_validate_utf8 = 1, output_format_json_quote_64bit_integers = 0, output_format_json_escape_forward_slashes = 0`,
  );

const writeJson = (file: string, value: unknown): void =>
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** Returns what the source, or else earlier files of the dataset, say of its site. */
function siteOf(dir: string, source: Source): Site {
  const file = join(dir, SITE_FILE);
  const earlier: Site = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const keys = Object.keys(siteSchema.shape) as (keyof Site)[];
  return Object.assign(earlier, ...keys.map((key) => source[key] && { [key]: source[key] }));
}

function writeSite(dir: string, source: Source): void {
  const site = siteOf(dir, source);
  if (Object.keys(site).length > 0) writeJson(join(dir, SITE_FILE), site);
}

async function likelyMistakes(
  db: ServerDatabase,
  { funnel = DEFAULT_FUNNEL }: Source,
): Promise<string[]> {
  const pages = funnel.flatMap((stage) => stage.pages);
  const found = await db.rows<{ warning: string }>(
    `${readQuery("import/warnings.sql")} ${BOUNDED}`,
    { pages },
  );
  return found.map(({ warning }) => warning);
}

function nothingFound(account: ImportAccount, example: RejectedRow | undefined): UserError {
  const { file, row, reason, detail } = example ?? {};
  const first = example === undefined ? "" : `; ${file}, row ${row}: ${reason} ${detail}`;
  return new UserError(
    `None of the rows is an event; nothing was written: ${accountText(account)}${first}`,
    reason === "no readable time"
      ? `correct the time in the SELECT, such as time_by(present(column), 'dd.MM.yyyy HH:mm:ss', 'Europe/Berlin') (${GUIDE})`
      : "correct the SELECT, or write a new one: pipeline import FILE --write-select NEW_FILE",
  );
}
