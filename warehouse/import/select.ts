import { DatabaseError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { didYouMean } from "../../generator/suggestion.ts";
import { type Column, SMALL_BLOCKS } from "./input.ts";
import { GUIDE, type Source } from "./source.ts";

/** A name in a SELECT is the column of `input`, also if another column gets that name: `visit AS session, session AS visitor`. */
const ownNames = ({ select: text }: Source): string => `(${text}
SETTINGS prefer_column_name_to_alias = 1)`;

/** Runs the SELECT of a source into the table `given`. @throws UserError with the engine's reason */
export async function select(db: Database, source: Source): Promise<void> {
  const columns = await describe(db, source);
  await requireColumns(db, columns);
  const values = columns.map(({ name, type }) => valueText(name, type));
  await asked(db, source, () =>
    db.run(
      `INSERT INTO given (${columns.map(({ name }) => name).join(", ")})
       SELECT ${values.join(", ")} FROM ${ownNames(source)}
       SETTINGS max_threads = 2, insert_null_as_default = 1, ${SMALL_BLOCKS}`,
    ),
  );
}

const describe = (db: Database, source: Source): Promise<Column[]> =>
  asked(db, source, () => db.rows<Column>(`DESCRIBE TABLE ${ownNames(source)}`));

/** A value as the text that `given` takes. */
function valueText(name: string, type: string): string {
  if (name === "row") return name;
  if (name === "properties")
    return type.includes("Map(")
      ? `CAST(${name}, 'Map(String, String)')`
      : `flat(ifNull(toString(${name}), ''))`;
  // An instant is written in UTC, whatever the zone of its type.
  if (/Date/.test(type)) return `ifNull(toString(toDateTime64(${name}, 6, 'UTC')), '')`;
  return `ifNull(toString(${name}), '')`;
}

async function requireColumns(db: Database, columns: readonly Column[]): Promise<void> {
  const given = await db.rows<{ name: string }>(
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'given'",
  );
  const allowed = given.map(({ name }) => name);
  const names = columns.map(({ name }) => name);
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new UserError(
      `The SELECT gives ${unknown}, which is no column of an event. Allowed: ${allowed.join(", ")}${didYouMean(unknown, allowed)}`,
      `rename it with AS, or leave it out (${GUIDE})`,
    );
  }
  const missing =
    ["row", "time"].find((name) => !names.includes(name)) ??
    (names.includes("page_url") || names.includes("event_type")
      ? undefined
      : "page_url or event_type");
  if (missing === undefined) return;
  throw new UserError(
    `The SELECT gives no column ${missing}`,
    missing === "row"
      ? "begin it with SELECT row, which names the place of a row in its file"
      : `add it (${GUIDE})`,
  );
}

const UNKNOWN_IDENTIFIER = 47;

async function asked<T>(db: Database, { file }: Source, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const inputs = await db.rows<{ name: string }>(
      "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'input'",
    );
    const columns = inputs.map((column) => column.name).join(", ");
    throw new UserError(
      `${file} fails: ${error.message.split("\n")[0]}`,
      error.code === UNKNOWN_IDENTIFIER
        ? `the table input has the columns ${columns}; a key that some files lack goes into the header: -- optional: [KEY]`
        : "correct the SELECT; pipeline import FILE --write-select NEW_FILE writes one that runs",
    );
  }
}
