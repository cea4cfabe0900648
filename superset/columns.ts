import { columnsOf as declaredColumnsOf } from "../warehouse/declared.ts";
import { columnDescription } from "../warehouse/schema/comments.ts";

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly isTime: boolean;
  /** SQL of the column where Superset must not use its bare name; else null. */
  readonly expression: string | null;
  readonly description: string;
}

/** Text columns whose empty value a chart or filter would show as a row without a name. */
const NAMED: ReadonlySet<string> = new Set([
  "site",
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

/** Returns the columns of a mart. @throws Error for an unknown mart */
export const columnsOf = (table: string): Column[] =>
  declaredColumnsOf(`dm.${table}`).map(({ name, type }) => {
    const isTime = /^(Nullable\()?Date/.test(type);
    const expression = expressionOf(`${table}.${name}`, isTime, NAMED.has(name));
    const description = columnDescription(`dm.${table}`, name);
    return { name, label: labelOf(name), type, isTime, expression, description };
  });

/** Qualifies the column: ClickHouse would resolve the bare name to Superset's alias. */
function expressionOf(column: string, isTime: boolean, isNamed: boolean): string | null {
  if (isNamed) return `if(${column} = '', '${UNKNOWN}', ${column})`;
  return isTime ? column : null;
}

/** Headings of columns whose name is not readable as a heading. */
const LABELS: Readonly<Record<string, string>> = {
  referer_medium: "Referrer",
  geo_country: "Country",
  device_type: "Device",
  browser_name: "Browser",
  os_name: "Operating system",
  utm_source: "UTM source",
  utm_campaign: "Campaign",
};

const ACRONYMS = /\b(utm|os|ip|url|id)\b/g;

/** Converts a column name to a heading: `geo_region_name` → `Geo region name`. */
export function labelOf(column: string): string {
  const words = column.replaceAll("_", " ").replace(ACRONYMS, (word) => word.toUpperCase());
  return LABELS[column] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
