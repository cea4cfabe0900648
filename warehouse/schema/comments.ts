import { layerColumns } from "../../contract/layer-columns.ts";
import { martColumns } from "../../contract/mart-columns.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { ddlFiles, literal } from "../sql.ts";

interface DescribedObject {
  readonly object: string;
  readonly comment: string;
  readonly columns: readonly (readonly [name: string, comment: string])[];
}

/** Writes the meanings of tables, views and columns into the database, if they changed. */
export async function applyComments(db: Database): Promise<void> {
  for (const table of await db.rows<DescribedObject>(DESCRIBED)) {
    const changes = [...tableChanges(table), ...columnChanges(table)];
    if (changes.length > 0) await db.run(`ALTER TABLE ${table.object} ${changes.join(", ")}`);
  }
}

const DESCRIBED = `
  SELECT concat(database, '.', table) AS object, any(tables.comment) AS comment,
    groupArray((columns.name, columns.comment)) AS columns
  FROM system.columns AS columns
  JOIN system.tables AS tables ON tables.database = columns.database AND tables.name = columns.table
  WHERE database IN ('ods', 'dds', 'dm', 'dm_internal')
  GROUP BY object
  ORDER BY object`;

function tableChanges({ object, comment }: DescribedObject): string[] {
  const meaning = objectDescription(object);
  return meaning === comment ? [] : [`MODIFY COMMENT ${literal(meaning)}`];
}

function columnChanges({ object, columns }: DescribedObject): string[] {
  const target = targetOf(object);
  return columns
    .map(([name, present]) => ({ name, present, wanted: columnDescription(target, name) }))
    .filter(({ present, wanted }) => present !== wanted)
    .map(({ name, wanted }) => `COMMENT COLUMN ${name} ${literal(wanted)}`);
}

type Meanings = Readonly<Record<string, string>>;

const messageColumns: Meanings = Object.fromEntries(
  STREAMS.flatMap((stream) =>
    Object.entries(streams[stream].fields).map(([name, { description }]) => [name, description]),
  ),
);

const allColumns: Meanings = { ...layerColumns, ...messageColumns };
const columnsOfMarts: Meanings = { ...allColumns, ...martColumns };

/** Returns the meaning of a column; empty for columns of internal tables. */
export const columnDescription = (object: string, column: string): string =>
  layerColumns[`${object}.${column}`] ??
  (object.startsWith("dm.") ? columnsOfMarts : allColumns)[column] ??
  "";

/** Returns the table that a load exchanges with a scratch table; otherwise the object itself. */
const targetOf = (object: string): string => object.replace(/^dm_internal\.(\w+)_build$/, "dm.$1");

/** Returns the comment above the CREATE of the object, or of a scratch table's target. */
export function objectDescription(object: string): string {
  const creates = new RegExp(`^CREATE [A-Z ]+ ${targetOf(object).replace(".", "\\.")}\\b`, "m");
  const statement = STATEMENTS.find((text) => creates.test(text)) ?? "";
  return statement
    .slice(0, statement.search(creates))
    .split("\n")
    .filter((line) => line.startsWith("-- ") && !line.startsWith("-- tier:"))
    .map((line) => line.slice(3))
    .join(" ");
}

const STATEMENTS = ddlFiles().flatMap(({ statements }) => statements);
