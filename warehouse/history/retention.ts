export interface RetentionCell {
  /** Day of the first session by the site's clock. */
  readonly cohort: string;
  readonly day_number: number;
  readonly visitors: number;
}

export interface RetentionRow {
  readonly cohort: string;
  /** Visitors by day; index 0 is the size of the cohort, null an incomplete day. */
  readonly visitors: readonly (number | null)[];
}

const MAX_DAYS = 15;

/** Returns one row per cohort, of equal length. @param cells of dm.v_retention */
export function retentionRows(cells: readonly RetentionCell[]): RetentionRow[] {
  const cohorts = [...new Set(cells.map((cell) => cell.cohort))].sort();
  const found = new Map(cells.map((cell) => [`${cell.cohort} ${cell.day_number}`, cell.visitors]));
  const last = cells.reduce((most, { day_number }) => Math.max(most, day_number), 0);
  const days = Array.from({ length: Math.min(MAX_DAYS, last + 1) }, (_, day) => day);
  return cohorts.map((cohort) => ({
    cohort,
    visitors: days.map((day) => found.get(`${cohort} ${day}`) ?? null),
  }));
}

/** Returns the mean share per day; null for a day that no cohort has completed. */
export function meanRetention(rows: readonly RetentionRow[]): (number | null)[] {
  const columns = rows[0]?.visitors.length ?? 0;
  return Array.from({ length: columns }, (_, day) => {
    const reached = rows.filter((row) => row.visitors[day] !== null);
    const size = sum(reached.map((row) => row.visitors[0] ?? 0));
    return size === 0 ? null : sum(reached.map((row) => row.visitors[day] ?? 0)) / size;
  });
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
