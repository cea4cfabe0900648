export interface RetentionCell {
  /** UTC date. */
  readonly cohort: string;
  readonly day_number: number;
  readonly visitors: number;
}

export interface RetentionRow {
  readonly cohort: string;
  /** Index 0: the size of the cohort. Null: the day lies outside the history. */
  readonly visitors: readonly (number | null)[];
}

/** Gaps inside the history count as nobody. @param columns days, the first one included */
export function retentionRows(
  cells: readonly RetentionCell[],
  lastDate: string,
  columns: number,
): RetentionRow[] {
  const cohorts = [...new Set(cells.map((cell) => cell.cohort))].sort();
  const found = new Map(cells.map((cell) => [`${cell.cohort} ${cell.day_number}`, cell.visitors]));
  return cohorts.map((cohort) => ({
    cohort,
    visitors: Array.from({ length: columns }, (_, day) =>
      day > daysBetween(cohort, lastDate) ? null : (found.get(`${cohort} ${day}`) ?? 0),
    ),
  }));
}

/** Null where no cohort could. */
export function meanRetention(rows: readonly RetentionRow[]): (number | null)[] {
  const columns = rows[0]?.visitors.length ?? 0;
  return Array.from({ length: columns }, (_, day) => {
    const reached = rows.filter((row) => row.visitors[day] !== null);
    const size = sum(reached.map((row) => row.visitors[0] ?? 0));
    return size === 0 ? null : sum(reached.map((row) => row.visitors[day] ?? 0)) / size;
  });
}

const DAY_MS = 86_400_000;
const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
