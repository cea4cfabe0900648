import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { didYouMean } from "../../generator/suggestion.ts";
import { literal, readQuery } from "../sql.ts";
import type { Column } from "./files.ts";
import { SMALL_BLOCKS } from "./input.ts";
import { GUIDE, type Source } from "./source.ts";

/** Slices of the table `event`, each of whole sessions. */
export const SLICES = 64;

/**
 * Types what the SELECT of a source gives: the table `input` becomes rows of `event` and `rejected`.
 * @throws UserError with the engine's reason, or for a column that is unknown or lacks
 */
export async function typeEvents(db: Database, source: Source): Promise<void> {
  try {
    await db.run(await typingOf(db, source), { slices: SLICES });
  } catch (error) {
    throw error instanceof DatabaseError ? await selectFailure(db, source, error) : error;
  }
  await db.run(readQuery("import/rejected.sql"));
  await db.run("DROP TABLE input SYNC");
}

/**
 * Returns the statement that adds what a SELECT gives to `event`. A column that the SELECT leaves out is a constant,
 * which costs nothing per row.
 * @param params of the SELECT, to describe its columns
 */
export async function typingOf(
  db: Database,
  source: Pick<Source, "select" | "site">,
  params: Params = {},
): Promise<string> {
  // A name is the column of `input`, also if another column gets that name: `visit AS session, session AS visitor`.
  const select = `(${source.select}\nSETTINGS prefer_column_name_to_alias = 1)`;
  const columns = await db.rows<Column>("DESCRIBE TABLE given");
  const given = await db.rows<Column>(`DESCRIBE TABLE ${select}`, params);
  requireColumns(
    given.map(({ name }) => name),
    columns.map(({ name }) => name),
  );
  const values = columns.map(({ name, type }) => {
    const own = given.find((column) => column.name === name);
    const value = own ? castGiven(own, type) : `defaultValueOfTypeName(${literal(type)})`;
    return `${name === "site" ? `coalesce(nullIf(${value}, ''), ${literal(source.site)})` : value} AS ${name}`;
  });
  const events = await db.rows<Column>("DESCRIBE TABLE event");
  const names = events.map(({ name }) => name).join(", ");
  return `INSERT INTO event (${names}) WITH given AS (SELECT ${values.join(", ")} FROM ${select} AS source)
     SELECT ${names} FROM (${readQuery("import/typed.sql")}) SETTINGS max_threads = 2, ${SMALL_BLOCKS}`;
}

/** Columns of ids, of which typing counts the placeholders. */
const IDS = ["event_id", "session_id", "visitor_id", "account_id", "order_id"];

/** Converts a value of the SELECT to a column's type: a text that is present, or a parsed value. */
function castGiven({ name, type: given }: Column, type: string): string {
  const value = `source.${name}`;
  if (name === "row") return value;
  if (type.startsWith("Map("))
    return given.startsWith("Map(")
      ? `mapApply((key, text) -> (toString(key), ifNull(toString(text), '')), ${value})`
      : `flat(ifNull(toString(${value}), ''))`;
  // An instant is written in UTC, whatever the zone of its type.
  const text = `ifNull(toString(${/Date/.test(given) ? `toDateTime64(${value}, 6, 'UTC')` : value}), '')`;
  if (IDS.includes(name)) return text;
  const [, parsed] = /^Nullable\((.*)\)$/.exec(type) ?? [];
  return parsed === undefined
    ? `present(${text})`
    : `accurateCastOrNull(present(${text}), ${literal(parsed)})`;
}

function requireColumns(given: readonly string[], allowed: readonly string[]): void {
  const unknown = given.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new UserError(
      `The SELECT gives ${unknown}, which is not a column of an event. Allowed: ${allowed.join(", ")}${didYouMean(unknown, allowed)}`,
      `rename it with AS, or leave it out (${GUIDE})`,
    );
  }
  for (const names of [["row"], ["time"], ["page_url", "event_type"]]) {
    if (names.some((name) => given.includes(name))) continue;
    throw new UserError(`The SELECT gives no column ${names.join(" or ")}`, `add it (${GUIDE})`);
  }
}

const UNKNOWN_IDENTIFIER = 47;

async function selectFailure(
  db: Database,
  { file }: Source,
  { code, message }: DatabaseError,
): Promise<UserError> {
  const columns = await db.rows<Column>("DESCRIBE TABLE input");
  const names = columns.map(({ name }) => name).join(", ");
  return new UserError(
    `${file} fails: ${message.split("\n")[0]}`,
    code === UNKNOWN_IDENTIFIER
      ? `the table input has the columns ${names}; a key that some files lack goes into the header: -- optional: [KEY]`
      : "correct the SELECT; pipeline import FILE --write-select NEW_FILE writes one that runs",
  );
}
