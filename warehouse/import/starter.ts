import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import type { Database } from "../../contract/ports.ts";
import { OPTIONAL_FIELDS } from "../../contract/streams.ts";
import { withTemporaryWorkspace } from "../database/open.ts";
import { literal, SQL_ROOT } from "../sql.ts";
import { type Column, columnsOf, openInput, recognise } from "./files.ts";
import { createTables } from "./import.ts";
import { quoteName, readInput } from "./input.ts";

/** What is known of other people's files; texts of usual names, separated by blanks. */
interface UsualNames {
  readonly columns: Readonly<Record<string, string>>;
  readonly day: string;
  readonly time_of_day: string;
  readonly patterns: readonly string[];
  readonly functions: Readonly<Record<string, string>>;
}
const USUAL: UsualNames = parse(readFileSync(join(SQL_ROOT, "import/usual-names.yaml"), "utf8"));

/** A name without case and signs. */
const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9äöü]/g, "");

/** Usual names by column; that of an optional field is its own. */
const COLUMNS: UsualNames["columns"] = {
  ...Object.fromEntries(Object.keys(OPTIONAL_FIELDS).map((name) => [name, bare(name)])),
  ...USUAL.columns,
};

/** A column of the file, or a key of a JSON object in one. */
interface Field {
  readonly name: string;
  /** Column and keys of the objects that hold it. */
  readonly objects: readonly string[];
  /** Expression in SQL that gives the text. */
  readonly text: string;
}

/** Returns a SELECT for a file: that of a source whose columns it has, or one by the names of its columns. */
export const starterSelect = (file: string): Promise<string> =>
  withTemporaryWorkspace(async (db) => {
    await createTables(db);
    const input = await openInput(db, file, 1);
    const known = await recognise(db, input);
    if (known) return readFileSync(known.file, "utf8");
    await readInput(db, [input]);
    return selectOf(db, basename(file), await fieldsOf(db, await columnsOf(db, input)));
  });

/** Levels of objects whose keys are fields. */
const LEVELS = 4;

/** Returns the columns, and instead of one with objects their keys. */
async function fieldsOf(db: Database, columns: readonly Column[]): Promise<Field[]> {
  const found: Field[] = [];
  let fields: Field[] = columns.map(({ name }) => ({ name, objects: [], text: quoteName(name) }));
  for (let level = 0; fields.length > 0; level += 1) {
    const keys = level < LEVELS ? await keysOf(db, fields) : [];
    const isPlain = (_: Field, index: number): boolean => !keys[index]?.length;
    found.push(...fields.filter(isPlain));
    fields = fields.flatMap(({ name, objects, text }, index) =>
      (keys[index] ?? []).map((key) => ({
        name: key,
        objects: [...objects, name],
        text: `flat(${text})[${literal(key)}]`,
      })),
    );
  }
  return found;
}

/** Returns the keys of each field's objects. */
async function keysOf(db: Database, fields: readonly Field[]): Promise<readonly string[][]> {
  const keys = fields.map(
    ({ text }) =>
      `groupUniqArrayArray(1000)(if(startsWith(${text}, '{'), JSONExtractKeys(${text}), []))`,
  );
  const [row] = await db.rows<{ keys: string[][] }>(
    `SELECT arrayMap(one -> arraySort(one), [${keys.join(", ")}]) AS keys FROM input`,
  );
  return row?.keys ?? [];
}

async function selectOf(db: Database, file: string, fields: readonly Field[]): Promise<string> {
  const [time, ...others] = await timesOf(db, fields);
  const found = guess(fields.filter((field) => !time?.fields.includes(field)));
  const reasons = await reject(db, found);
  const used = [...(time?.fields ?? []), ...Object.values(found)];
  const unused = fields.filter((field) => !used.includes(field));
  const lines = [
    "row",
    `${time?.expression ?? "'' /* name the column of the time */"} AS time`,
    ...Object.entries(found).map(([column, { text }]) => {
      const reader = USUAL.functions[column];
      return `${reader === undefined ? text : `${reader}(${text})`} AS ${column}`;
    }),
    ...(found.page_url || found.event_type ? [] : ["'pageview' AS event_type"]),
    ...(unused.length > 0 ? [`${propertiesOf(unused)} AS properties`] : []),
  ];
  const notes = [
    ...(unused.length > 0
      ? [`Of unknown names, and so only properties: ${unused.map(({ name }) => name).join(", ")}`]
      : []),
    ...reasons,
    ...others.map(({ expression }) => `The times also read as: ${expression}`),
  ];
  return `-- source: ${file}
-- # Time zone of the days and hours of the marts; without it, UTC.
-- # timezone: Europe/Berlin
-- # Stages to the goal of the site, in order, with their pages; without them, those of the demo shop.
-- # funnel:
-- #   - { stage: start, pages: [/] }
-- #   - { stage: article, pages: [/news/*, /video/*] }

-- Check each line. Columns and their meaning: docs/reference/sources.md
SELECT
${lines.map((line) => `    ${line}`).join(",\n")}
FROM input
${notes.map((note) => `-- ${note}\n`).join("")}`;
}

/** A key that several objects have is named with them, because a key of a map is unique. */
function propertiesOf(fields: readonly Field[]): string {
  const pairs = fields.map(({ name, objects, text }) => {
    const isRepeated = fields.filter((one) => one.name === name).length > 1;
    return `${literal(isRepeated ? [...objects, name].join(".") : name)}, ${text}`;
  });
  return `map(${pairs.join(", ")})`;
}

/** Names by which a field is known: with its object's, such as visitor.id, is better than alone. */
const NAMINGS: readonly ((field: Field) => string)[] = [
  ({ name, objects }) => `${objects.at(-1) ?? ""}${name}`,
  // An id alone can be of anything.
  ({ name, objects }) => (objects.length > 0 && name.toLowerCase() !== "id" ? name : ""),
];

/** Returns the fields of usual names, in the order of these. A name counts without case and signs. */
function named(fields: readonly Field[], usual = "", namings = NAMINGS): Field[] {
  return namings.flatMap((nameOf) =>
    usual.split(" ").flatMap((one) => fields.filter((field) => bare(nameOf(field)) === one)),
  );
}

/** A field of the file serves one column of an event, by the first of its usual names. */
function guess(fields: readonly Field[]): Record<string, Field> {
  const found: Record<string, Field> = {};
  const { time: _, ...columns } = COLUMNS;
  for (const naming of NAMINGS) {
    for (const [column, usual] of Object.entries(columns)) {
      const best = named(fields, usual, [naming]).find(
        (field) => !Object.values(found).includes(field),
      );
      if (best !== undefined) found[column] ??= best;
    }
  }
  return found;
}

/** Removes fields whose values are no such ids or pages. @returns notes on what a user can want to change */
async function reject(db: Database, found: Record<string, Field>): Promise<string[]> {
  const { event_id, page_url, order_id, order_value, event_type } = found;
  const has = async (query: string): Promise<boolean> =>
    (await db.rows(`${query} LIMIT 1`)).length > 0;
  if (
    event_id &&
    (await has(
      `SELECT 1 FROM input WHERE ${event_id.text} != '' GROUP BY ${event_id.text} HAVING uniqExact(row.content) > 1`,
    ))
  )
    delete found.event_id;
  // A size of a screen is no page.
  if (
    page_url &&
    (await has(`SELECT 1 FROM input WHERE match(${page_url.text}, '^[0-9]+ *[x×,] *[0-9]+')`))
  )
    delete found.page_url;
  const isPurchase = event_type ? `event_type_of(${event_type.text}) = 'purchase'` : "1";
  if (
    order_id &&
    order_value &&
    (await has(
      `SELECT 1 FROM input WHERE present_id(${order_id.text}) != '' AND ${isPurchase}
       GROUP BY ${order_id.text} HAVING uniqExact(${order_value.text}) > 1`,
    ))
  ) {
    delete found.order_id;
    return [
      `Rows of one order have several values, so that all count; if the first is the order's: ${order_id.text} AS order_id`,
    ];
  }
  return [];
}

/** Expression that reads the time of one field, or of a day and a time of day. */
interface Time {
  readonly fields: readonly Field[];
  readonly expression: string;
}

/** Returns the expressions that read the most times of the file. Zone: UTC, for the user to change. */
async function timesOf(db: Database, all: readonly Field[]): Promise<Time[]> {
  const [time] = named(all, COLUMNS.time);
  const [day] = named(all, USUAL.day);
  const [clock] = named(all, USUAL.time_of_day);
  const places = [...(time ? [[time]] : []), ...(day && clock ? [[day, clock]] : [])];
  const times = places.flatMap((fields) => {
    const text = fields.map((field) => `present(${field.text})`).join(" || ' ' || ");
    const patterns = USUAL.patterns.map((pattern) => `time_by(${text}, '${pattern}', 'UTC')`);
    return [`time_in(${text}, 'UTC')`, ...patterns].map((expression) => ({ fields, expression }));
  });
  if (times.length === 0) return [];
  const counts = times.map(
    ({ expression }) => `countIf(${expression} >= toDateTime64('2000-01-01', 6, 'UTC'))`,
  );
  const [read] = await db.rows<{ counts: number[] }>(
    `SELECT [${counts.join(", ")}] AS counts FROM input`,
  );
  const found = read?.counts ?? [];
  // A few times may be damaged.
  const best = times.filter((_, index) => found[index] === Math.max(...found));
  return Math.max(...found) === 0 ? best.slice(0, 1) : best;
}
