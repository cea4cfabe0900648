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
    return { name, label: labelOf(name), type, isTime, description };
  });
}
