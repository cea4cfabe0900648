import fc from "fast-check";
import { expect, test } from "vitest";
import { dateOf, formatMicros, isoMicros, parseMicros } from "../../../contract/time.ts";

const instant = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) * 1000 });

test("what is written is read again, to the microsecond", () => {
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

test("neighbours do not share a stale minute", () => {
  expect([59_999_999, 60_000_000, 59_999_999].map(formatMicros)).toEqual([
    "1970-01-01 00:00:59.999999",
    "1970-01-01 00:01:00.000000",
    "1970-01-01 00:00:59.999999",
  ]);
  expect(dateOf(Date.UTC(2026, 1, 28, 23, 59) * 1000)).toBe("2026-02-28");
});

test.each(["", "yesterday", "2026-01-01", "2026-01-01 10:00", "2026-01-01 10:00:00.1234567"])(
  "%j is no instant",
  (text) => expect(parseMicros(text)).toBeNaN(),
);
