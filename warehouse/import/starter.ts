import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import type { Database } from "../../contract/ports.ts";
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

/** A column of the file, or a key of a JSON object in one. */
interface Field {
  readonly name: string;
  /** Column that holds the object. */
  readonly object?: string;
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

async function fieldsOf(db: Database, columns: readonly Column[]): Promise<Field[]> {
  const plain: Field[] = [];
  const nested: Field[] = [];
  for (const { name } of columns) {
    const text = quoteName(name);
    const keys = await db.rows<{ key: string }>(
      `SELECT DISTINCT arrayJoin(JSONExtractKeys(${text})) AS key FROM input WHERE startsWith(${text}, '{') LIMIT 1000`,
    );
    if (keys.length === 0) plain.push({ name, text });
    for (const { key } of keys)
      nested.push({ name: key, object: name, text: `flat(${text})[${literal(key)}]` });
  }
  return [...plain, ...nested];
}

async function selectOf(db: Database, file: string, fields: readonly Field[]): Promise<string> {
  const [time, ...others] = await timesOf(db, fields);
  const found = guess(fields.filter((field) => !time?.fields.includes(field)));
  if (found.event_id && !(await isUnique(db, found.event_id))) delete found.event_id;
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

const propertiesOf = (fields: readonly Field[]): string =>
  `map(${fields.map(({ name, text }) => `${literal(name)}, ${text}`).join(", ")})`;

/** Returns the fields of usual names, in the order of these. A name counts without case and signs, a key also with its object's. */
function named(fields: readonly Field[], usual = ""): Field[] {
  const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9äöü]/g, "");
  return usual
    .split(" ")
    .flatMap((one) =>
      fields.filter(
        ({ name, object = "" }) => bare(name) === one || bare(`${object}${name}`) === one,
      ),
    );
}

/** A field of the file serves one column of an event, by the first of its usual names. */
function guess(fields: readonly Field[]): Record<string, Field> {
  const found: Record<string, Field> = {};
  const { time: _, ...columns } = USUAL.columns;
  for (const [column, usual] of Object.entries(columns)) {
    const best = named(fields, usual).find((field) => !Object.values(found).includes(field));
    if (best !== undefined) found[column] = best;
  }
  return found;
}

async function isUnique(db: Database, { text }: Field): Promise<boolean> {
  const [counts] = await db.rows<{ same: number }>(
    `SELECT count() - uniqExact(${text}) AS same FROM input WHERE ${text} != ''`,
  );
  return counts?.same === 0;
}

/** Expression that reads the time of one field, or of a day and a time of day. */
interface Time {
  readonly fields: readonly Field[];
  readonly expression: string;
}

/** Returns the expressions that read the most times of the file. Zone: UTC, for the user to change. */
async function timesOf(db: Database, all: readonly Field[]): Promise<Time[]> {
  const [time] = named(all, USUAL.columns.time);
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
