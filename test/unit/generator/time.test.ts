import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, formatMicros, isoMicros, parseMicros } from "../../../contract/time.ts";

const instants = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) * 1000 });

describe("model time as text", () => {
  it("prints like Date with three more digits, and reads back exactly", () => {
    fc.assert(
      fc.property(instants, (at) => {
        const millis = new Date(Math.floor(at / 1000)).toISOString().replace("T", " ").slice(0, 23);
        const text = `${millis}${String(at % 1000).padStart(3, "0")}`;
        expect(formatMicros(at)).toBe(text);
        expect(isoMicros(at)).toBe(`${text.replace(" ", "T")}Z`);
        expect(dateOf(at)).toBe(text.slice(0, 10));
        expect(parseMicros(formatMicros(at))).toBe(at);
        expect(parseMicros(isoMicros(at))).toBe(at);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it.each([
    ["2026-01-01T00:00:00Z", 1_767_225_600_000_000],
    ["2026-01-01 00:00:00.5", 1_767_225_600_500_000],
    ["2026-01-01T00:00:00.000001Z", 1_767_225_600_000_001],
  ])("reads %s", (text, at) => {
    expect(parseMicros(text)).toBe(at);
  });

  it.each(["", "now", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "1767225600"])(
    "refuses %j",
    (text) => {
      expect(parseMicros(text)).toBeNaN();
    },
  );
});
