import Table from "cli-table3";

const integers = new Intl.NumberFormat("en-US");

/** Formats an integer: `1,234,567`. */
export const formatCount = (value: number): string => integers.format(value);

/** Formats a number with a noun: `1 model day`, `1,234 model days`. */
export const formatNumber = (value: number, noun: string): string =>
  `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Formats a duration: `0.42 s`, `12.3 s`, `3 min 5 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const MIN_WIDTH = 12;
export type Cells = readonly (string | number)[];

/** Renders a table with right-aligned numbers; wraps the widest column at `maxWidth`. */
export function renderTable(
  head: readonly string[],
  rows: readonly Cells[],
  maxWidth = Number.POSITIVE_INFINITY,
): string {
  const isNumeric = head.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? formatCount(cell) : cell)),
  );
  const table = new Table({
    head: [...head],
    colAligns: isNumeric.map((numeric) => (numeric ? "right" : "left")),
    style: { head: [], border: [], compact: true },
    colWidths: columnWidths(head, texts, maxWidth),
    wordWrap: true,
    wrapOnWordBoundary: false,
  });
  table.push(...texts);
  return table.toString();
}

/** Returns column widths; shrinks the widest column if necessary. */
function columnWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): number[] {
  const widths = head.map((title, column) => {
    const lengths = rows.map((row) => row[column]?.length ?? 0);
    return Math.max(title.length, ...lengths) + 2;
  });
  const borders = widths.length + 1;
  const excess = widths.reduce((sum, width) => sum + width, borders) - maxWidth;
  const widest = widths.indexOf(Math.max(...widths));
  return widths.map((width, column) =>
    excess > 0 && column === widest ? Math.max(width - excess, MIN_WIDTH) : width,
  );
}

export const wrapText = (text: string, width: number): string[] =>
  text.match(new RegExp(`.{1,${width}}(?<=[,\\s]|$)|.{1,${width}}`, "gs")) ?? [];
