import { expect, test } from "vitest";
import { meanRetention, retentionRows } from "../../../../warehouse/history/retention.ts";

const cells = [
  { cohort: "2026-01-02", day_number: 1, visitors: 25 },
  { cohort: "2026-01-01", day_number: 0, visitors: 100 },
  { cohort: "2026-01-01", day_number: 1, visitors: 0 },
  { cohort: "2026-01-01", day_number: 2, visitors: 10 },
  { cohort: "2026-01-02", day_number: 0, visitors: 50 },
];

test("a day after the last complete one is unknown", () => {
  expect(retentionRows(cells)).toEqual([
    { cohort: "2026-01-01", visitors: [100, 0, 10] },
    { cohort: "2026-01-02", visitors: [50, 25, null] },
  ]);
});

test("at most 15 days are shown", () => {
  const days = Array.from({ length: 40 }, (_, day_number) => ({
    cohort: "2026-02-28",
    day_number,
    visitors: 1,
  }));
  expect(retentionRows(days)[0]?.visitors).toHaveLength(15);
});

test("the mean counts only cohorts whose visitors could return", () => {
  expect(meanRetention(retentionRows(cells))).toEqual([1, 25 / 150, 0.1]);
  expect(meanRetention([])).toEqual([]);
});
