import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Field } from "../contract/field.ts";
import { labelOf, martColumns } from "../contract/mart-columns.ts";
import { STREAMS, streams } from "../contract/streams.ts";

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly isTime: boolean;
  /** SQL of the column where Superset must not use its bare name; else null. */
  readonly expression: string | null;
  readonly description: string;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    STREAMS.flatMap((stream) =>
      Object.entries<Field>(streams[stream].fields).map(([name, field]) => [
        name,
        field.description,
      ]),
    ),
  ),
  ...martColumns,
};

interface RecordedObject {
  readonly object: string;
  readonly columns: readonly string[];
}

const SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dirname, "../sql/schema.json"), "utf8"),
) as readonly RecordedObject[];

/** Text columns whose empty value a chart or filter would show as a row without a name. */
const NAMED: ReadonlySet<string> = new Set([
  "referer_medium",
  "utm_source",
  "device_type",
  "os_name",
  "browser_name",
  "geo_country",
  "entry_page",
  "exit_page",
  "page_url_path",
]);

/** Name of an empty value, the same as in the marts' channel and the report. */
export const UNKNOWN = "unknown";

const TYPE_END = / (DEFAULT|MATERIALIZED|ALIAS|CODEC|TTL|COMMENT) ?.*$/;

/** Returns the columns of a mart. @throws Error for an unknown mart or undescribed column */
export function columnsOf(table: string): Column[] {
  const recorded = SCHEMA.find(({ object }) => object === `dm.${table}`);
  if (!recorded)
    throw new Error(`sql/schema.json has no dm.${table}. hint: run npm run record-schema`);
  return recorded.columns.map((text) => {
    const name = text.slice(0, text.indexOf(" "));
    const type = text.slice(name.length + 1).replace(TYPE_END, "");
    const description = DESCRIPTIONS[name];
    if (!description) throw new Error(`Column ${name} of dm.${table} has no description`);
    const isTime = /^(Nullable\()?Date/.test(type);
    const expression = expressionOf(`${table}.${name}`, isTime, NAMED.has(name));
    return { name, label: labelOf(name), type, isTime, expression, description };
  });
}

/** Qualifies the column: ClickHouse would resolve the bare name to Superset's alias. */
function expressionOf(column: string, isTime: boolean, isNamed: boolean): string | null {
  if (isNamed) return `if(${column} = '', '${UNKNOWN}', ${column})`;
  return isTime ? column : null;
}
