/** Generates the page of tables and columns. A column that many tables share is described once. */
import { DATA_TESTS, type Tested } from "../../contract/data-tests.ts";
import { markers } from "../../contract/markers.ts";
import {
  type DeclaredObject,
  columnsOf as declaredColumnsOf,
  readDeclared,
} from "../../warehouse/declared.ts";
import { columnDescription, objectDescription } from "../../warehouse/schema/comments.ts";
import { code, tableText } from "./table.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

/** Objects with the same columns, such as the error tables of the four streams. */
interface Section {
  readonly objects: readonly DeclaredObject[];
  readonly columns: readonly Column[];
}

const LAYERS = {
  stg: "Messages as received from Kafka, or from a load without Kafka.",
  ods: "Typed messages, and rejected ones in `*_errors`.",
  dds: "One row per page event and per session, without duplicates.",
  dm: "Marts for analysts and Superset.",
} as const;

/** Number of sections from which a column is described only once. */
const MANY = 3;

const isInternal = ({ object }: DeclaredObject): boolean =>
  /(_build|_parsed|_mv|\.(queue|work_\w+|lease|load_range|integrity_check|funnel|manifest))$/.test(
    object,
  );

const declared = readDeclared().filter((object) => !isInternal(object));

const columnsOf = ({ object }: DeclaredObject): Column[] =>
  declaredColumnsOf(object).map(({ name, type }) => ({
    name,
    type,
    meaning: columnDescription(object, name),
  }));

/** Text that is equal for columns with one description. */
const keyOf = ({ name, type, meaning }: Column): string => `${name} ${type} ${meaning}`;

function sectionsOf(layer: string): Section[] {
  const objects = declared.filter(({ object }) => object.startsWith(`${layer}.`));
  const byColumns = Map.groupBy(objects, (object) => columnsOf(object).map(keyOf).join("\n"));
  return [...byColumns.values()].map((group) => ({
    objects: group,
    columns: group.slice(0, 1).flatMap(columnsOf),
  }));
}

const layers = Object.entries(LAYERS).map(([layer, about]) => ({
  layer,
  about,
  sections: sectionsOf(layer),
}));

const uses = Map.groupBy(
  layers.flatMap(({ sections }) => sections.flatMap(({ columns }) => columns)),
  keyOf,
);
const isShared = (column: Column): boolean => (uses.get(keyOf(column))?.length ?? 0) >= MANY;

const columnTable = (columns: readonly Column[]): string =>
  tableText({
    head: ["column", "type", "meaning"],
    rows: columns.map(({ name, type, meaning }) => [code(name), code(type), meaning]),
  });

function factsOf({ engine, sortingKey, ttl }: DeclaredObject): string {
  const facts = [
    engine === "View" ? "" : engine,
    sortingKey && `sorted by ${code(sortingKey)}`,
    ttl && `kept for ${code(ttl)}`,
  ].filter(Boolean);
  return facts.length > 0 ? ` (${facts.join(", ")})` : "";
}

/** Returns the grain; later sentences explain columns, which the table does as well. */
const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;

function sectionText({ objects: [first, ...others], columns }: Section): string {
  if (!first) return "";
  const own = columns.filter((column) => !isShared(column));
  const shared = columns.filter(isShared).map(({ name }) => code(name));
  return [
    `### ${[first, ...others].map(({ object }) => object).join(", ")}`,
    `${firstSentence(objectDescription(first.object))}${factsOf(first)}`,
    ...(own.length > 0 ? [columnTable(own)] : []),
    ...(shared.length > 0 ? [`${own.length > 0 ? "Also:" : "Columns:"} ${shared.join(" ")}`] : []),
  ].join("\n\n");
}

/** Draws the keys and relationships that `pipeline test` checks. */
function picture(): string {
  const node = (table: string) => table.replace(".", "_");
  const isKey = (table: string, column: string): boolean => {
    const { unique, not_null } = DATA_TESTS[table as Tested]?.[column] ?? {};
    return unique === true && not_null === true;
  };
  const columns = Object.entries(DATA_TESTS).flatMap(([table, tests]) =>
    Object.entries(tests).map(([name, { relationships }]) => ({ table, name, relationships })),
  );
  const lines = columns.flatMap(({ table, name, relationships }) => {
    const key = isKey(table, name) ? [`  ${node(table)} {`, `    key ${name} PK`, "  }"] : [];
    if (!relationships || !isKey(relationships.to, relationships.field)) return key;
    const many = isKey(table, name) ? "o|" : "o{";
    return [...key, `  ${node(relationships.to)} ||--${many} ${node(table)} : ${name}`];
  });
  return ["```mermaid", "erDiagram", ...lines, "```"].join("\n");
}

const sharedColumns = (): Column[] =>
  [...uses.values()].flatMap((columns) => columns.slice(0, 1)).filter(isShared);

export const tablesPage = (): string =>
  [
    "# Tables and columns",
    "The tables of the four layers, without bookkeeping of the batch process. `sql/ddl` declares all; the database has these texts as comments.",
    "## Tables and keys",
    "`pipeline test` checks these. In `ods`, `event_id` joins browser and location, `click_id` all streams; the key of a message is `epoch`, `_topic`, `_partition`, `_offset`.",
    picture(),
    "## Columns of several tables",
    columnTable(sharedColumns()),
    ...layers.flatMap(({ layer, about, sections }) => [
      `## ${layer}`,
      about,
      ...sections.map(sectionText),
    ]),
    "## Markers",
    "Names of defects, in `markers`, `error_reason` and `dm.dq_summary`.",
    tableText({
      head: ["marker", "meaning"],
      rows: Object.entries(markers).map(([name, meaning]) => [code(name), meaning]),
    }),
  ].join("\n\n");
