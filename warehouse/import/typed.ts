import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { didYouMean } from "../../generator/suggestion.ts";
import { literal, readQuery } from "../sql.ts";
import type { Column } from "./files.ts";
import { SMALL_BLOCKS } from "./input.ts";
import { GUIDE, type Source } from "./source.ts";

/**
 * Types what the SELECT of a source gives into the table `event`. A column that the SELECT leaves out is a
 * constant, which costs nothing per row.
 * @throws UserError with the engine's reason, or for a column that is unknown or lacks
 */
export async function typeEvents(db: Database, source: Source): Promise<void> {
  const given = await withSelectErrors(db, source, () =>
    db.rows<Column>(`DESCRIBE TABLE ${selectOf(source)}`),
  );
  const columns = await columnsOfTable(db, "given");
  requireColumns(
    given.map(({ name }) => name),
    columns.map(({ name }) => name),
  );
  const values = columns.map((column) => {
    const own = given.find(({ name }) => name === column.name);
    const value = own ? textOf(own) : `defaultValueOfTypeName(${literal(column.type)})`;
    return `${value} AS ${column.name}`;
  });
  await withSelectErrors(db, source, () =>
    db.run(
      `INSERT INTO event WITH given AS (SELECT ${values.join(", ")} FROM ${selectOf(source)} AS source)
       SELECT * FROM (${readQuery("import/typed.sql")}) SETTINGS max_threads = 2, ${SMALL_BLOCKS}`,
    ),
  );
}

/** A name in a SELECT is the column of `input`, also if another column gets that name: `visit AS session, session AS visitor`. */
const selectOf = ({ select }: Source): string => `(${select}
SETTINGS prefer_column_name_to_alias = 1)`;

/** A value as the text that typing takes. */
function textOf({ name, type }: Column): string {
  const value = `source.${name}`;
  if (name === "row") return value;
  if (name === "properties")
    return type.startsWith("Map(")
      ? `mapApply((key, text) -> (toString(key), ifNull(toString(text), '')), ${value})`
      : `flat(ifNull(toString(${value}), ''))`;
  // An instant is written in UTC, whatever the zone of its type.
  if (/Date/.test(type)) return `ifNull(toString(toDateTime64(${value}, 6, 'UTC')), '')`;
  return `ifNull(toString(${value}), '')`;
}

const columnsOfTable = (db: Database, table: string): Promise<Column[]> =>
  db.rows<Column>(
    `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`,
  );

function requireColumns(given: readonly string[], allowed: readonly string[]): void {
  const unknown = given.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new UserError(
      `The SELECT gives ${unknown}, which is no column of an event. Allowed: ${allowed.join(", ")}${didYouMean(unknown, allowed)}`,
      `rename it with AS, or leave it out (${GUIDE})`,
    );
  }
  if (!given.includes("row")) {
    throw new UserError(
      "The SELECT gives no column row",
      "begin it with SELECT row, which names the place of a row in its file",
    );
  }
  for (const names of [["time"], ["page_url", "event_type"]]) {
    if (names.some((name) => given.includes(name))) continue;
    throw new UserError(`The SELECT gives no column ${names.join(" or ")}`, `add it (${GUIDE})`);
  }
}

const UNKNOWN_IDENTIFIER = 47;

async function withSelectErrors<T>(
  db: Database,
  { file }: Source,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const names = (await columnsOfTable(db, "input")).map(({ name }) => name);
    throw new UserError(
      `${file} fails: ${error.message.split("\n")[0]}`,
      error.code === UNKNOWN_IDENTIFIER
        ? `the table input has the columns ${names.join(", ")}; a key that some files lack goes into the header: -- optional: [KEY]`
        : "correct the SELECT; pipeline import FILE --write-select NEW_FILE writes one that runs",
    );
  }
}
