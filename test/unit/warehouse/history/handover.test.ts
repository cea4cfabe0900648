import { describe, expect, test } from "vitest";
import { UserError } from "../../../../contract/errors.ts";
import { HOUR, MINUTE, parseMicros } from "../../../../contract/time.ts";
import { parseConfig } from "../../../../generator/config.ts";
import { readLiveHandover } from "../../../../warehouse/history/check.ts";
import {
  compareRates,
  expectedCrossing,
  HANDOVER_SIGMA,
  longestPause,
} from "../../../../warehouse/history/checks/handover.ts";
import { constantModel } from "../../../../warehouse/history/model.ts";

describe("CHECK_LIVE_SEAM", () => {
  test("is on unless it is 0", () => {
    expect(readLiveHandover(undefined)).toBe(true);
    expect(readLiveHandover("1")).toBe(true);
    expect(readLiveHandover("0")).toBe(false);
  });
  test.each(["", "2", "yes", "true", "01", " 1"])("refuses %j", (value) => {
    expect(() => readLiveHandover(value)).toThrow(UserError);
    expect(() => readLiveHandover(value)).toThrow(`CHECK_LIVE_SEAM=${value} is not valid`);
  });
});

const window = {
  before: 1800,
  after: 1800,
  weight: 3600 * 9,
  visits_before: 300,
  time_before: 10 * HOUR,
  last_before: -1000,
  first_after: 1000,
};
const config = parseConfig({ GEN_JITTER_PCT: "0" });
const { periods } = constantModel(config);
const noon = parseMicros("2026-01-01T12:00:00Z");

test("counts of clustered sessions spread like sqrt(count × clustering)", () => {
  const { expected, allowed, clumping } = compareRates(window, config, noon, HOUR);
  expect(expected).toBe(1800);
  expect(clumping).toBe(9);
  expect(allowed).toBeCloseTo(HANDOVER_SIGMA * Math.sqrt(9 * 3600));
});

test("the model's coefficient changes the expectation after a border of the day", () => {
  const nine = parseMicros("2026-01-01T09:00:00Z");
  expect(compareRates(window, config, nine, HOUR).expected).toBeCloseTo(1800 * 1.2);
});

test("long ticks with jitter allow more", () => {
  const rough = parseConfig({ GEN_TICK_SECONDS: "3600", GEN_MAX_EVENTS_PER_TICK: "100000" });
  const fine = parseConfig({ GEN_TICK_SECONDS: "1" });
  const allowed = (c: typeof config) => compareRates(window, c, noon, HOUR).allowed;
  expect(allowed(rough)).toBeGreaterThan(1.3 * allowed(fine));
});

test("a lower rate after T_end makes the longest pause longer", () => {
  const slower = [
    ...periods,
    { from: noon, config: parseConfig({ GEN_LAMBDA_BASE_PER_MIN: "15" }) },
  ];
  expect(longestPause(window, slower, noon, HOUR) / MINUTE).toBeCloseTo((2 * 21 * 60) / 300);
});

test("a pause is measured between session starts", () => {
  expect(longestPause(window, periods, noon, HOUR) / MINUTE).toBeCloseTo((21 * 60) / 300);
  expect(expectedCrossing(window, HOUR)).toBe(10);
});
