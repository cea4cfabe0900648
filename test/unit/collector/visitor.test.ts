import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DailyVisitors, keptAddress } from "../../../collector/visitor.ts";

test.each([
  ["203.0.113.77", "full", "203.0.113.77"],
  ["203.0.113.77", "shortened", "203.0.113.0"],
  ["::ffff:203.0.113.77", "shortened", "203.0.113.0"],
  ["2001:db8:1234:5678::1", "shortened", "2001:db8:1234::"],
  ["::1", "shortened", "::"],
  ["203.0.113.77", "none", ""],
] as const)("of %s, %s keeps %s", (address, kept, expected) => {
  expect(keptAddress(address, kept)).toBe(expected);
});

test("a visitor is the same on one day of one site, also after a restart, and another one tomorrow", () => {
  const dir = mkdtempSync(join(tmpdir(), "visitors-"));
  const day = Date.parse("2026-03-01T10:00:00Z");
  const first = new DailyVisitors(dir).visitorOf(day, "a", "203.0.113.7", "Firefox");
  const visitors = new DailyVisitors(dir);
  const salt = readFileSync(join(dir, "salt"), "utf8");
  expect(visitors.visitorOf(day + 3_600_000, "a", "203.0.113.7", "Firefox")).toBe(first);
  expect(visitors.visitorOf(day, "b", "203.0.113.7", "Firefox")).not.toBe(first);
  expect(visitors.visitorOf(day + 86_400_000, "a", "203.0.113.7", "Firefox")).not.toBe(first);
  expect(readFileSync(join(dir, "salt"), "utf8")).not.toBe(salt);
  rmSync(dir, { recursive: true });
});
