import { createHash } from "node:crypto";
import type { Database, Params } from "../../contract/ports.ts";
import { sideBySide } from "../database/side-by-side.ts";
import { columnsOf, readDeclared } from "../declared.ts";
import { type PublishedTable, readSelect } from "./published-table.ts";

/**
 * Returns a hash for dds and one for the marts; a table whose commit has another is computed as a whole. The hash
 * changes with every entry of the plan, SELECT column and partition of the layer and those below, and that of the marts with the
 * site, the lists of names and the functions, too.
 */
export async function hashDefinitions(
  db: Database,
  tables: readonly PublishedTable[],
): Promise<Params> {
  const [[formatted], lists] = await sideBySide([
    db.rows<{ selects: string[] }>(
      "SELECT arrayMap(text -> formatQuerySingleLine(text), {selects:Array(String)}) AS selects",
      { selects: tables.map(({ publish }) => readSelect(publish)) },
    ),
    sideBySide(LISTS.map((list) => db.rows<object>(`SELECT * FROM ${list} ORDER BY ALL`))),
  ]);
  const texts = tables.map(
    ({ publish, rows, from }, at) =>
      `${formatted?.selects[at]} ${structureOf(publish)} ${JSON.stringify({ rows, from })}`,
  );
  return {
    dds_definition: hashOf(texts.filter((_, at) => tables[at]?.publish.startsWith("dds."))),
    definition: hashOf([...texts, JSON.stringify(lists)]),
  };
}

function structureOf(table: string): string {
  const columns = columnsOf(table).map(({ name, type }) => `${name} ${type}`);
  const partition = readDeclared().find(({ object }) => object === table)?.partitionKey;
  return `${columns.join(", ")} ${partition}`;
}

const hashOf = (texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16);

/** What the SELECT of a mart may read beside tables. */
const LISTS = [
  "dm_internal.site",
  "dm_internal.referring_site",
  "(SELECT create_query FROM system.functions WHERE origin = 'SQLUserDefined' AND startsWith(name, 'dm_'))",
];
