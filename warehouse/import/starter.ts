import { basename } from "node:path";
import { stringify } from "yaml";
import { EVENT_TYPES } from "../../contract/streams.ts";
import { FIELDS } from "./fields.ts";
import { guessColumns, guessDelimiter, guessTimeFormat } from "./guess.ts";
import { type Row, readRows } from "./rows.ts";

/** Rows that the guess looks at. */
const SAMPLE = 1000;
const UNKNOWN = "?";
/** Without a line break inside a value. */
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
  const columns = guessColumns(names);
  const samples = (field: string): string[] => {
    const column = columns[field];
    return column === undefined ? [] : rows.map((row) => String(row.values[column] ?? ""));
  };
  return [
    `# How the columns of ${basename(file)} become the fields of messages. Check each line.`,
    ...timeLines(samples("event_timestamp")),
    ...(delimiter === undefined ? [] : [`delimiter: ${inline(delimiter)}`]),
    ...columnLines(columns, names),
    "# Value of a field without a column, or with an empty one.",
    "constants: {}",
    ...valueLines(samples("event_type")),
    "",
  ].join("\n");
}

function timeLines(samples: readonly string[]): string[] {
  return [
    "time:",
    "  # iso, unix_seconds, unix_milliseconds, unix_microseconds, or a pattern: dd.MM.yyyy HH:mm:ss",
    `  format: ${guessTimeFormat(samples.find((text) => text !== "") ?? "")}`,
    "  # Time zone of times without an offset, such as Europe/Berlin.",
    "  zone: UTC",
  ];
}

function columnLines(
  columns: Readonly<Record<string, string>>,
  names: readonly string[],
): string[] {
  const given = { event_timestamp: UNKNOWN, click_id: UNKNOWN, ...columns };
  const unused = names.filter((name) => !Object.values(columns).includes(name));
  const free = Object.keys(FIELDS).filter((name) => !(name in given));
  return [
    "# Field: column of the file.",
    "columns:",
    ...Object.entries(given).map(
      ([field, column]) =>
        `  ${field}: ${inline(column)}${column === UNKNOWN ? " # needed: name a column" : ""}`,
    ),
    ...(unused.length > 0 ? [`# Columns without a field: ${unused.join(", ")}`] : []),
    `# Fields without a column: ${free.join(", ")}`,
  ];
}

/** Event types of the file as pageview or purchase; nothing if they are already. */
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

const isPurchase = (type: string): boolean =>
  /purchase|order|buy|bought|payment_ok|sale/i.test(type);
