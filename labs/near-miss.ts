/** Recognises results that are right except for their unit or their decimals. */
import type { Question } from "./lab.ts";
import { differenceOf, type Table } from "./table.ts";

export const PERCENT = "It is in percent. The question asks for a share from 0 to 1.";
const REST = "It is the rest to 1, the share of the others.";

/** Returns what is wrong with a result that differs from the expected one by unit or decimals only. */
export function nearMissOf(
  given: Table,
  expected: Table,
  answer: Exclude<Question["answer"], { kind: "interval" }>,
): string | undefined {
  const shares = shareColumns(expected);
  if (shares.size === 0) return undefined;
  const shown = decimalsOf(given, shares);
  const fits = (change: (share: number) => number, decimals: number): boolean =>
    differenceOf(changed(given, shares, change), expected, { ...answer, decimals }) === undefined;
  if (fits((share) => share / 100, Math.min(shown + 2, answer.decimals))) return PERCENT;
  if (fits((share) => 1 - share, Math.min(Math.max(shown, 1), answer.decimals))) return REST;
  if (shown === 0 || shown >= answer.decimals || !fits((share) => share, shown)) return undefined;
  return `It is rounded to ${shown} decimals. The question asks for ${answer.decimals}.`;
}

/** Returns an interval in percent as one of shares. */
export const fromPercent = (given: Table): Table =>
  changed(given, new Set(given.columns.keys()), (share) => share / 100);

/** Places of the columns whose values are shares, not counts. */
function shareColumns({ columns, rows }: Table): ReadonlySet<number> {
  const isShare = (column: number): boolean => {
    const cells = rows.map((row) => row[column]);
    return (
      cells.every((cell) => typeof cell === "number" && Math.abs(cell) <= 1) &&
      cells.some((cell) => !Number.isInteger(cell))
    );
  };
  return new Set([...columns.keys()].filter(isShare));
}

function changed(
  { columns, rows }: Table,
  at: ReadonlySet<number>,
  change: (share: number) => number,
): Table {
  const cells = rows.map((row) =>
    row.map((cell, column) => (at.has(column) && typeof cell === "number" ? change(cell) : cell)),
  );
  return { columns, rows: cells };
}

/** Returns the decimals with which the columns are written, at most 15. */
function decimalsOf({ rows }: Table, at: ReadonlySet<number>): number {
  const written = rows.flatMap((row) => [...at].map((column) => `${row[column]}`));
  return Math.max(0, ...written.map((text) => text.split(".")[1]?.length ?? 0));
}
