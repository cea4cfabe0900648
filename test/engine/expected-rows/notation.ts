/**
 * Notation of the tables in expected-rows fixtures. Columns are separated by `|`, the first line
 * names them. A cell is a value as in TSV, `null`, or a shortcut: `#7` the UUID that ends in 7,
 * `10:00` a time on 2026-01-01, `29 days ago` a time before now, `[a, b]` an array of strings.
 */
export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const DAY = "2026-01-01";
const DAY_MS = 86_400_000;
const UUID_START = "00000000-0000-4000-8000-";

export function parseTable(text: string): TextTable {
  const [header, ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  if (header === undefined) throw new Error("a table needs a first line with its columns");
  const columns = cellsOf(header);
  const rows = lines.map(cellsOf);
  const uneven = rows.findIndex((row) => row.length !== columns.length);
  if (uneven >= 0) {
    throw new Error(`"${lines[uneven]}" does not have the ${columns.length} cells of "${header}"`);
  }
  return { columns, rows };
}

const cellsOf = (line: string): string[] => line.split("|").map((cell) => cell.trim());

/** Writes `#7` as a UUID, anywhere in the text. */
export const expandIds = (text: string): string =>
  text.replace(/#(\d+)/g, (_, number: string) => UUID_START + number.padStart(12, "0"));

/**
 * A cell in the TSV form that the database reads. Messages and funnels have no shortcuts except ids.
 */
export function toTsv(column: string, cell: string): string {
  if (column === "raw" || column === "funnel") return expandIds(cell);
  if (cell === "null") return "\\N";
  if (/^\d\d:\d\d(:|$)/.test(cell)) return `${DAY} ${cell.length === 5 ? `${cell}:00` : cell}`;
  const days = /^(\d+) days ago$/.exec(cell)?.[1];
  if (days !== undefined)
    return new Date(Date.now() - Number(days) * DAY_MS).toISOString().slice(0, 19);
  const list = /^\[(.*)\]$/.exec(cell)?.[1];
  if (list === undefined) return expandIds(cell);
  return `[${listOf(list)
    .map((item) => `'${expandIds(item)}'`)
    .join(",")}]`;
}

const listOf = (items: string): string[] =>
  items === "" ? [] : items.split(",").map((item) => item.trim());

/** A TSV value of the database, or a cell, in one notation, so that both compare as text. */
export function normalise(value: string): string {
  return (value.startsWith("[") ? value.replace(/'/g, "").replace(/, */g, ", ") : value)
    .replaceAll(/00000000-0000-4000-8000-0*(\d+)/g, "#$1")
    .replace(/^\\N$/, "null")
    .replace(new RegExp(`^${DAY} (\\d\\d:)`), "$1")
    .replace(/(\d\d:\d\d:\d\d)\.0+$/, "$1")
    .replace(/(\d\d:\d\d:\d\d\.\d*[1-9])0+$/, "$1")
    .replace(/^(.*\d\d:\d\d):00$/, "$1")
    .trim();
}
