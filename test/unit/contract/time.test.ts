import fc from "fast-check";
import { expect, test } from "vitest";
import {
  DAY,
  dateOf,
  formatMicros,
  HOUR,
  isoMicros,
  MINUTE,
  parseMicros,
  SECOND,
} from "../../../contract/time.ts";

const instant = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) * 1000 });

test("reads what it writes, to the microsecond", () => {
  fc.assert(
    fc.property(instant, (at) => {
      expect(parseMicros(formatMicros(at))).toBe(at);
      expect(parseMicros(isoMicros(at))).toBe(at);
      expect(formatMicros(at).slice(0, 23)).toBe(
        new Date(Math.floor(at / 1000)).toISOString().slice(0, 23).replace("T", " "),
      );
    }),
  );
});

test("caches no minute for another one", () => {
  expect([59_999_999, 60_000_000, 59_999_999].map(formatMicros)).toEqual([
    "1970-01-01 00:00:59.999999",
    "1970-01-01 00:01:00.000000",
    "1970-01-01 00:00:59.999999",
  ]);
  expect(dateOf(Date.UTC(2026, 1, 28, 23, 59) * 1000)).toBe("2026-02-28");
});

test("reads a fraction with fewer digits", () => {
  const [at] = ["2026-01-01T00:00:00Z"].map(parseMicros);
  const read = (text: string) => parseMicros(text) - Number(at);
  expect(read("2026-01-01 00:00:00")).toBe(0);
  expect(read("2026-01-01 00:00:01.5")).toBe(1_500_000);
  expect(read("2026-01-01T00:01:00.05Z")).toBe(MINUTE + 50_000);
  expect(read("2026-01-01 00:00:00.000001Z")).toBe(1);
  expect([MINUTE / SECOND, HOUR / MINUTE, DAY / HOUR]).toEqual([60, 60, 24]);
  expect(read("2026-01-02T00:00:00")).toBe(DAY);
});

test.each([
  "",
  "yesterday",
  "2026-01-01",
  "2026-01-01 10:00",
  "2026-01-01 10:00:00.1234567",
  "2026-01-01 10:00:00.",
  "2026-01-01 10:00:00x1",
  "x2026-01-01 10:00:00",
  "2026-01-01 10:00:00ZZ",
  "2026-13-01 10:00:00",
  "2026-01-01_10:00:00",
])("refuses %j", (text) => expect(parseMicros(text)).toBeNaN());
