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

const MIN_WIDTH = 10;
export type Cells = readonly (string | number)[];

/** Columns of the terminal; a file or a pipe has no limit. */
export const terminalWidth = (): number => process.stdout.columns || Number.POSITIVE_INFINITY;

/** Renders a table with right-aligned numbers; one that is too wide loses spaces, then wraps its widest columns. */
export function renderTable(
  head: readonly string[],
  rows: readonly Cells[],
  maxWidth = terminalWidth(),
): string {
  const isNumeric = head.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? formatCount(cell) : cell)),
  );
  const widths = head.map((title, column) =>
    Math.max(title.length, ...texts.map((row) => row[column]?.length ?? 0)),
  );
  const padding = totalWidth(widths, 1) <= maxWidth ? 1 : 0;
  const table = new Table({
    head: [...head],
    colAligns: isNumeric.map((numeric) => (numeric ? "right" : "left")),
    style: {
      ...{ head: [], border: [], compact: true },
      ...{ "padding-left": padding, "padding-right": padding },
    },
    colWidths: narrowed(widths, maxWidth, padding).map((width) => width + 2 * padding),
    wordWrap: true,
    wrapOnWordBoundary: false,
  });
  table.push(...texts);
  return table.toString();
}

const totalWidth = (widths: readonly number[], padding: number): number =>
  widths.reduce((sum, width) => sum + width + 2 * padding + 1, 1);

/** Shrinks the widest columns until the table fits. */
function narrowed(widths: readonly number[], maxWidth: number, padding: number): number[] {
  const result = [...widths];
  for (let excess = totalWidth(result, padding) - maxWidth; excess > 0; excess -= 1) {
    const widest = Math.max(...result);
    if (widest <= MIN_WIDTH) break;
    result[result.indexOf(widest)] = widest - 1;
  }
  return result;
}

export const wrapText = (text: string, width: number): string[] =>
  text.match(new RegExp(`.{1,${width}}(?<=[,\\s]|$)|.{1,${width}}`, "gs")) ?? [];
