import { layerColumns } from "../../contract/layer-columns.ts";
import { martColumns } from "../../contract/mart-columns.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { ddlFiles } from "../sql.ts";

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
export const targetOf = (object: string): string =>
  object.replace(/^dm_internal\.(\w+)_build$/, "dm.$1");

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
