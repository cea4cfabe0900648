/** Generates the page of tables and columns. A column of several tables is described once, with its types. */
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
  dds: "One row per event and per session, without duplicates.",
  dm: "Marts for analysts and Superset.",
} as const;

const isInternal = ({ object }: DeclaredObject): boolean =>
  /(_build|_parsed|_mv|\.(queue|work_\w+|lease|epoch|erased|erasure_key|repair|load_range|load_commit|integrity_check|funnel|manifest|site|dq_summary_log))$/.test(
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
const keyOf = ({ name, meaning }: Column): string => `${name} ${meaning}`;

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

const columns = layers.flatMap(({ sections }) => sections.flatMap((section) => section.columns));

/** Columns of several tables by name; of a name with several meanings, those of the most frequent one. */
const shared = new Map(
  [...Map.groupBy(columns, ({ name }) => name)].flatMap(([name, all]) => {
    const [most = []] = [...Map.groupBy(all, keyOf).values()].toSorted(
      (a, b) => b.length - a.length,
    );
    return most.length > 1 ? [[name, most] as const] : [];
  }),
);
const isShared = ({ name, meaning }: Column): boolean => shared.get(name)?.[0]?.meaning === meaning;

const columnList = (described: readonly (readonly Column[])[]): string =>
  described
    .map((uses) => {
      const types = [...new Set(uses.map(({ type }) => code(type)))].join(" or ");
      return `- ${code(uses[0]?.name)} ${types}: ${uses[0]?.meaning}`;
    })
    .join("\n");

function factsOf({ engine, sortingKey, ttl }: DeclaredObject): string {
  const facts = [
    ["View", "MergeTree"].includes(engine) ? "" : engine,
    sortingKey && `sorted by ${code(sortingKey)}`,
    ttl && `kept for ${code(ttl)}`,
  ].filter(Boolean);
  return facts.length > 0 ? ` (${facts.join(", ")})` : "";
}

/** Descriptions of objects with the same columns: one that all have, or each with its name. */
function aboutText(objects: readonly DeclaredObject[]): string {
  const texts = new Set(objects.map(({ object }) => objectDescription(object)));
  const isOne = texts.size === 1;
  return objects
    .slice(0, isOne ? 1 : undefined)
    .map((one) => {
      const text = objectDescription(one.object);
      return `${isOne ? "" : `${code(one.object)}: `}${text}${factsOf(one)}`;
    })
    .join("\n\n");
}

function sectionText({ objects, columns }: Section): string {
  const own = columns.filter((column) => !isShared(column));
  const others = columns.filter(isShared).map(({ name }) => code(name));
  return [
    `### ${objects.map(({ object }) => object).join(", ")}`,
    aboutText(objects),
    ...(own.length > 0 ? [columnList(own.map((column) => [column]))] : []),
    ...(others.length > 0 ? [`${own.length > 0 ? "Also:" : "Columns:"} ${others.join(" ")}`] : []),
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

export const tablesPage = (): string =>
  [
    "# Tables and columns",
    "The tables of the four layers, without bookkeeping of the batch process. The database has these texts as comments.",
    "## Tables and keys",
    "`pipeline test` checks these. In `ods`, `event_id` joins browser and location, `click_id` all streams; the key of a message is `epoch`, `_topic`, `_partition`, `_offset`.",
    picture(),
    "## Columns of several tables",
    columnList([...shared.values()]),
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
