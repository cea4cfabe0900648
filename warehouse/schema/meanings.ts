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

/** What a column holds; empty for columns of internal tables. */
export const columnMeaning = (object: string, column: string): string =>
  layerColumns[`${object}.${column}`] ??
  (object.startsWith("dm.") ? columnsOfMarts : allColumns)[column] ??
  "";

/** The comment above the object's CREATE in sql/ddl. A scratch table has that of its target. */
export function objectMeaning(object: string): string {
  const creates = new RegExp(
    `^CREATE [A-Z ]+ ${object.replace(/_build$/, "").replace(".", "\\.")}\\b`,
    "m",
  );
  const statement = STATEMENTS.find((text) => creates.test(text)) ?? "";
  return statement
    .slice(0, statement.search(creates))
    .split("\n")
    .filter((line) => line.startsWith("-- ") && !line.startsWith("-- tier:"))
    .map((line) => line.slice(3))
    .join(" ");
}

const STATEMENTS = ddlFiles().flatMap(({ statements }) => statements);
