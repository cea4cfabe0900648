import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DailyVisitors, keptAddress } from "../../../collector/visitor.ts";
import { folderOfTest } from "../../support/use-folder.ts";

test.each([
  ["203.0.113.77", "full", "203.0.113.77"],
  ["203.0.113.77", "shortened", "203.0.113.0"],
  ["::ffff:203.0.113.77", "shortened", "203.0.113.0"],
  ["2001:db8:1234:5678::1", "shortened", "2001:db8:1234::"],
  ["::1", "shortened", "::"],
  ["203.0.113.77", "none", ""],
  ["somewhere", "shortened", ""],
] as const)("of %s, %s keeps %s", (address, kept, expected) => {
  expect(keptAddress(address, kept)).toBe(expected);
});

describe("a visitor of a day", () => {
  const day = Date.parse("2026-03-01T10:00:00Z");
  const DAY_MS = 86_400_000;
  let dir: string;
  beforeEach(() => {
    vi.useFakeTimers({ now: day });
    dir = folderOfTest("visitors");
  });
  afterEach(() => void vi.useRealTimers());

  test("is the same of one site, also after a restart, and another one tomorrow", () => {
    const first = new DailyVisitors(dir).visitorOf(day, "a", "203.0.113.7", "Firefox");
    const visitors = new DailyVisitors(dir);
    const salt = readFileSync(join(dir, "salt"), "utf8");
    expect(visitors.visitorOf(day + 3_600_000, "a", "203.0.113.7", "Firefox")).toBe(first);
    expect(visitors.visitorOf(day, "b", "203.0.113.7", "Firefox")).not.toBe(first);
    expect(visitors.visitorOf(day + DAY_MS, "a", "203.0.113.7", "Firefox")).not.toBe(first);
    expect(readFileSync(join(dir, "salt"), "utf8")).not.toBe(salt);
  });

  test("has a salt that is deleted after the day, also without hits, and at a later start", () => {
    const salt = join(dir, "salt");
    const visitors = new DailyVisitors(dir);
    visitors.visitorOf(day, "a");
    vi.advanceTimersByTime(3_600_000);
    expect(existsSync(salt)).toBe(true);
    vi.advanceTimersByTime(DAY_MS);
    expect(existsSync(salt)).toBe(false);
    visitors.visitorOf(day + DAY_MS, "a");
    vi.clearAllTimers();
    vi.setSystemTime(day + 2 * DAY_MS);
    new DailyVisitors(dir);
    expect(existsSync(salt)).toBe(false);
  });
});
