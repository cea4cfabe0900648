import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import type { Database } from "../../contract/ports.ts";
import { withTemporaryWorkspace } from "../database/open.ts";
import { literal, readStatements, SQL_ROOT } from "../sql.ts";
import { columnsOf, openInput, recognise } from "./files.ts";
import { quoteName, readInput } from "./input.ts";
import type { Source } from "./source.ts";

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
  /** Column that holds the object; absent for a column. */
  readonly object?: string;
  /** Expression in SQL that gives the text. */
  readonly text: string;
}

/** Returns a SELECT for a file: that of a source whose columns it has, or one by the names of its columns. */
export const starterSelect = (file: string): Promise<string> =>
  withTemporaryWorkspace(async (db) => {
    for (const path of ["import/functions.sql", "import/files.sql"])
      for (const statement of readStatements(path)) await db.run(statement);
    const input = await openInput(db, file, 1, join(db.directory ?? "", "links"));
    const known = await recognise(db, input);
    if (known) return readFileSync(known.file, "utf8");
    const names = (await columnsOf(db, input)).map(({ name }) => name);
    const all: Source = { name: "", file, select: "", columns: [], optional: [], hosts: [] };
    await readInput(db, [input], all);
    return selectOf(db, basename(file), await fieldsOf(db, names));
  });

async function fieldsOf(db: Database, names: readonly string[]): Promise<Field[]> {
  const fields = names.map((name) => ({ name, text: quoteName(name) }));
  const nested: Field[] = [];
  for (const { name, text } of fields) {
    const keys = await db.rows<{ key: string }>(
      `SELECT DISTINCT arrayJoin(JSONExtractKeys(${text})) AS key FROM input WHERE startsWith(${text}, '{') LIMIT 1000`,
    );
    for (const { key } of keys)
      nested.push({ name: key, object: name, text: `flat(${text})[${literal(key)}]` });
  }
  return [...fields.filter(({ name }) => nested.every(({ object }) => object !== name)), ...nested];
}

async function selectOf(db: Database, file: string, fields: readonly Field[]): Promise<string> {
  const { of, expressions } = await timeOf(db, fields);
  const found = guess(fields.filter((field) => !of.includes(field)));
  if (found.event_id && !(await isUnique(db, found.event_id))) delete found.event_id;
  const used = [...of, ...Object.values(found)];
  const unused = fields.filter((field) => !used.includes(field));
  const lines = [
    "row",
    `${expressions[0]} AS time`,
    ...Object.entries(found).map(([column, { text }]) => {
      const reader = USUAL.functions[column];
      return `${reader === undefined ? text : `${reader}(${text})`} AS ${column}`;
    }),
    ...(found.page_url || found.event_type ? [] : ["'pageview' AS event_type"]),
    ...(unused.length > 0 ? [`${propertiesOf(unused)} AS properties`] : []),
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
${unused.length > 0 ? `-- Of unknown names, and so only properties: ${unused.map(({ name }) => name).join(", ")}\n` : ""}${expressions
  .slice(1)
  .map((other) => `-- The times also read as: ${other}\n`)
  .join("")}`;
}

const propertiesOf = (fields: readonly Field[]): string =>
  `map(${fields.map(({ name, text }) => `${literal(name)}, ${text}`).join(", ")})`;

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9äöü]/g, "");

const named = (fields: readonly Field[], usual: string): Field[] =>
  usual.split(" ").flatMap((one) => fields.filter(({ name }) => bare(name) === one));

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

/** Expressions that read the most times of a file alike, of the fields in `of`. */
interface Times {
  readonly of: readonly Field[];
  readonly expressions: readonly string[];
}

/** Returns how to read the times, of one field or of a day and a time of day. Zone: UTC, for the user to change. */
async function timeOf(db: Database, fields: readonly Field[]): Promise<Times> {
  const [time] = named(fields, USUAL.columns.time ?? "");
  const [day] = named(fields, USUAL.day);
  const [clock] = named(fields, USUAL.time_of_day);
  const candidates = [...(time ? [[time]] : []), ...(day && clock ? [[day, clock]] : [])].flatMap(
    (of) => {
      const texts = of.map(({ text }) => `present(${text})`);
      const text = texts.length === 1 ? texts[0] : `concat(${texts.join(", ' ', ")})`;
      const patterns = USUAL.patterns.map((pattern) => `time_by(${text}, '${pattern}', 'UTC')`);
      return [`time_in(${text}, 'UTC')`, ...patterns].map((expression) => ({ of, expression }));
    },
  );
  if (candidates.length === 0)
    return { of: [], expressions: ["'' /* name the column of the time */"] };
  const [read] = await db.rows<{ counts: number[] }>(
    `SELECT [${candidates.map(({ expression }) => `countIf(${expression} >= toDateTime64('2000-01-01', 6, 'UTC'))`).join(", ")}] AS counts FROM input`,
  );
  const { counts = [] } = read ?? {};
  // A few times may be damaged.
  const best = candidates.filter((_, index) => counts[index] === Math.max(...counts));
  const of = best[0]?.of ?? [];
  return {
    of,
    expressions: best.filter((one) => one.of === of).map(({ expression }) => expression),
  };
}
