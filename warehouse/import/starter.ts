import { basename } from "node:path";
import { stringify } from "yaml";
import { EVENT_TYPES } from "../../contract/streams.ts";
import { FIELDS } from "./fields.ts";
import { guessColumns, guessDelimiter, guessTimeFormat } from "./guess.ts";
import { pathOf } from "./messages.ts";
import { type Row, readRows } from "./rows.ts";

/** Number of rows that the guess examines. */
const SAMPLE = 1000;
const UNKNOWN = "?";
/** Formats a value as YAML without line breaks. */
const inline = (value: unknown): string => stringify(value, { lineWidth: 0 }).trim();

/** Returns the text of a mapping file, guessed from the first rows of a file. */
export async function starterMapping(file: string): Promise<string> {
  const delimiter = await guessDelimiter(file);
  const rows: Row[] = [];
  for await (const row of readRows(file, { delimiter })) {
    if (row.problem === undefined) rows.push(row);
    if (rows.length >= SAMPLE) break;
  }
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.values)))];
  const columns = withAddress(guessColumns(names), rows);
  const samples = (field: string): string[] => {
    const column = columns[field];
    return column === undefined ? [] : rows.map((row) => String(row.values[column] ?? ""));
  };
  return [
    `# Maps the columns of ${basename(file)} to message fields. Check each line.`,
    ...timeLines(samples("event_timestamp")),
    ...(delimiter === undefined ? [] : [`delimiter: ${inline(delimiter)}`]),
    ...columnLines(columns, names),
    "# Values of fields without a column, or with an empty column.",
    "constants: {}",
    ...valueLines(samples("event_type")),
    ...funnelLines([...samples("page_url_path"), ...samples("page_url").map(pathOf)]),
    "",
  ].join("\n");
}

/** A column named like a path may hold whole addresses. */
function withAddress(
  columns: Readonly<Record<string, string>>,
  rows: readonly Row[],
): Readonly<Record<string, string>> {
  const { page_url_path: column, ...others } = columns;
  if (column === undefined || others.page_url !== undefined) return columns;
  const isAddress = rows.some((row) => /^https?:\/\//.test(String(row.values[column] ?? "")));
  return isAddress ? { ...others, page_url: column } : columns;
}

function timeLines(samples: readonly string[]): string[] {
  return [
    "time:",
    "  # iso, unix_seconds, unix_milliseconds, unix_microseconds, or a pattern: dd.MM.yyyy HH:mm:ss",
    `  format: ${guessTimeFormat(samples.find((text) => text !== "") ?? "")}`,
    "  # Time zone for times without an offset, such as Europe/Berlin.",
    "  zone: UTC",
  ];
}

function columnLines(
  columns: Readonly<Record<string, string>>,
  names: readonly string[],
): string[] {
  const isDerived = columns.click_id === undefined && columns.user_custom_id !== undefined;
  const given = {
    event_timestamp: UNKNOWN,
    ...(isDerived ? {} : { click_id: UNKNOWN }),
    ...columns,
  };
  const unused = names.filter((name) => !Object.values(columns).includes(name));
  const free = Object.keys(FIELDS).filter((name) => !(name in given));
  return [
    "# Field: column of the file.",
    "columns:",
    ...Object.entries(given).map(
      ([field, column]) =>
        `  ${field}: ${inline(column)}${column === UNKNOWN ? " # needed: name a column" : ""}`,
    ),
    ...(isDerived
      ? [
          "# Without click_id, a visitor's pause of session_minutes begins a new session.",
          "session_minutes: 30",
        ]
      : []),
    ...(unused.length > 0 ? [`# Columns without a field: ${unused.join(", ")}`] : []),
    `# Fields without a column: ${free.join(", ")}`,
  ];
}

/** Maps the file's event types to pageview or purchase; empty if the types already match. */
function valueLines(samples: readonly string[]): string[] {
  const types = [...new Set(samples)].filter((type) => type !== "").slice(0, 50);
  const known: readonly string[] = EVENT_TYPES;
  if (types.every((type) => known.includes(type))) return ["values: {}"];
  return [
    `# Value of the file: value to load. Allowed event types: ${known.join(", ")}.`,
    "values:",
    "  event_type:",
    ...types.map((type) => `    ${inline(type)}: ${isPurchase(type) ? "purchase" : "pageview"}`),
  ];
}

/** Commented out, because only the user knows which pages lead to the goal. */
function funnelLines(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths.filter((one) => one !== "")) {
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
  return [
    "# Stages to the goal of the site, in order, and their pages; a trailing * matches any rest.",
    ...(frequent.length > 0
      ? [`# Frequent pages of the file: ${frequent.map(([path]) => inline(path)).join(", ")}`]
      : []),
    "# Without it, the stages are those of the demo shop: /home, /product_a, /cart, /payment, /confirmation.",
    "# funnel:",
    "#   - { stage: start, pages: [/] }",
    "#   - { stage: article, pages: [/news/*, /video/*] }",
    "#   - { stage: subscription, pages: [/subscribe] }",
  ];
}

const isPurchase = (type: string): boolean =>
  /purchase|order|buy|bought|payment_ok|sale/i.test(type);
