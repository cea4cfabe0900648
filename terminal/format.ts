import Table from "cli-table3";

const integers = new Intl.NumberFormat("en-US");

/** `1,234,567`. */
export const formatCount = (value: number): string => integers.format(value);

/** `1 model day`, `1,234 model days`. */
export const formatNumber = (value: number, noun: string): string =>
  `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;

/** `0.42 s`, `12.3 s`, `3 min 5 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A plain text table; numbers are aligned to the right. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const isNumeric = head.map((_, column) => rows.every((row) => typeof row[column] === "number"));
  const table = new Table({
    head: [...head],
    colAligns: isNumeric.map((numeric) => (numeric ? "right" : "left")),
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) {
    table.push(row.map((cell) => (typeof cell === "number" ? formatCount(cell) : cell)));
  }
  return table.toString();
}
