import { expect, test } from "vitest";
import { HOUR, parseMicros } from "../../../contract/time.ts";
import {
  busiestDay,
  busiestHour,
  clearDifference,
  funnelLoss,
  hourOfDay,
  mostSessions,
} from "../../../report/findings.ts";

const START = parseMicros("2026-01-15T09:00:00Z");

test("the busiest hour is named with its date", () => {
  const points = [5, 7].map((observed, i) => {
    const shown = START + i * HOUR;
    return { start: shown - 9 * HOUR, shown, observed, expected: 0 };
  });
  expect(busiestHour(points, "Asia/Tokyo")).toBe(
    "The busiest hour was Thu 15 Jan 2026, 10:00 (Asia/Tokyo), with 7 page events",
  );
  expect(busiestHour([], "UTC")).toBe("Page events per hour");
});

test.each([
  [[20, 38], "01:00 brings the most page events, 1.9 times those of 00:00 (UTC)"],
  [[0, 38], "01:00 brings the most page events (UTC)"],
  [[20, 21], "All hours of the day are alike (UTC)"],
])("hours of the day with %j page events", (counts, finding) => {
  const hours = counts.map((observed, hour) => ({ hour, observed, expected: Number.NaN }));
  expect(hourOfDay(hours, "UTC")).toBe(finding);
});

test.each([
  [
    [100, 210, 90, 110],
    "Tue 2 Jun 2026 brought 2.1 times the visitors of the median day, Mon 1 Jun 2026",
  ],
  [
    [60, 105, 100],
    "Mon 1 Jun 2026 brought 0.6 times the visitors of the median day, Wed 3 Jun 2026",
  ],
  [[100, 101, 102], "No day stands out: Wed 3 Jun 2026 brought the most visitors, 102"],
  [[100], "Mon 1 Jun 2026 brought 100 visitors"],
  [[], "Visitors per day"],
])("days with %j visitors", (counts, finding) => {
  const days = counts.map((visitors, i) => ({ day: `2026-06-0${i + 1}`, visitors }));
  expect(busiestDay(days)).toBe(finding);
});

test("the funnel names the step that fewest take", () => {
  const stages = [90, 80, 8, 6].map((sessions, i) => ({
    stage_number: i + 1,
    stage: `s${i + 1}`,
    sessions,
    seen_sessions: 0,
  }));
  expect(funnelLoss(stages, 100)).toBe(
    "6.0 % of sessions come as far as s4; fewest go on from s2 to s3 (10.0 %)",
  );
});

test("the largest segment is named with its share", () => {
  const shares = [
    { label: "email", sessions: 1 },
    { label: "direct", sessions: 3 },
  ];
  expect(mostSessions("channel", shares, 5)).toBe(
    "Most frequent channel: direct, 60.0 % of sessions",
  );
  expect(mostSessions("channel", [], 0)).toBe("Sessions by channel");
});

const estimated = (label: string, low: number, high: number) => ({
  label,
  low,
  high,
  estimate: (low + high) / 2,
});

test("a difference is named if its own interval excludes zero, also of intervals that overlap", () => {
  const [a, b] = [estimated("a", 0.1, 0.2), estimated("b", 0.18, 0.28)];
  expect(clearDifference("variant", [a, b])).toBe(
    "By variant, b has more purchases than a: 23.0 % of sessions, not 15.0 %; the difference is 0.9 to 15.1 percentage points",
  );
  expect(clearDifference("variant", [a, estimated("b", 0.16, 0.26)])).toMatch(/^No clear/);
});

test("the named difference is clear, though that of the extremes may not be", () => {
  const rows = [estimated("rare", 0, 0.9), estimated("a", 0.1, 0.2), estimated("b", 0.3, 0.4)];
  expect(clearDifference("device", rows)).toMatch(/^By device, b has more purchases than a:/);
});
