import { expect, test } from "vitest";
import { meanRetention, retentionRows } from "../../../../warehouse/history/retention.ts";

const cells = [
  { cohort: "2026-01-01", day_number: 0, visitors: 100 },
  { cohort: "2026-01-01", day_number: 2, visitors: 10 },
  { cohort: "2026-01-02", day_number: 0, visitors: 50 },
  { cohort: "2026-01-02", day_number: 1, visitors: 25 },
];

test("a day nobody came is nobody; a day after the history is not known", () => {
  expect(retentionRows(cells, "2026-01-03", 4)).toEqual([
    { cohort: "2026-01-01", visitors: [100, 0, 10, null] },
    { cohort: "2026-01-02", visitors: [50, 25, null, null] },
  ]);
});

test("months do not matter", () => {
  const late = [{ cohort: "2026-02-28", day_number: 0, visitors: 1 }];
  expect(retentionRows(late, "2026-03-01", 3)[0]?.visitors).toEqual([1, 0, null]);
});

test("the mean counts only cohorts that could come back", () => {
  const mean = meanRetention(retentionRows(cells, "2026-01-03", 4));
  expect(mean).toEqual([1, 25 / 150, 0.1, null]);
  expect(meanRetention([])).toEqual([]);
});
