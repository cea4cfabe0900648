import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { coefficientOfHour, dailyCoefficient, segments } from "../../../generator/model/budget.ts";

const at = (text: string) => parseMicros(text);

describe("daily coefficient", () => {
  it("is 1.2 from 09 to 18, 0.7 from 00 to 05, else 1.0", () => {
    const byHour = Array.from({ length: 24 }, (_, hour) => coefficientOfHour(hour));
    expect(byHour).toEqual([
      ...Array(6).fill(0.7),
      ...Array(3).fill(1.0),
      ...Array(10).fill(1.2),
      ...Array(5).fill(1.0),
    ]);
  });

  it.each([
    ["2026-01-01T05:59:59.999999Z", 0.7],
    ["2026-01-01T06:00:00Z", 1.0],
  ])("at %s is %d", (instant, expected) => {
    expect(dailyCoefficient("UTC")(at(instant))).toBe(expected);
  });

  it.each([
    ["Europe/Berlin", "2026-03-29T06:59:59Z", 1.0],
    ["Europe/Berlin", "2026-03-29T07:00:00Z", 1.2],
    ["Asia/Kolkata", "2026-01-01T03:30:00Z", 1.2],
    ["Asia/Kathmandu", "2026-01-01T03:15:00Z", 1.2],
  ])("in %s at %s is %d", (zone, instant, expected) => {
    expect(dailyCoefficient(zone)(at(instant))).toBe(expected);
  });
});

describe("segments", () => {
  const start = at("2026-01-01T04:30:00Z");
  const utc = dailyCoefficient("UTC");

  it("keeps a short tick whole", () => {
    expect(segments(utc, start, start + 5 * SECOND)).toEqual([
      { start, end: start + 5 * SECOND, coefficient: 0.7 },
    ]);
  });

  it("splits a long tick without a gap and keeps the daily wave", () => {
    const parts = segments(utc, start + MINUTE, start + 5 * HOUR);
    expect(parts[0]?.start).toBe(start + MINUTE);
    expect(parts.at(-1)?.end).toBe(start + 5 * HOUR);
    for (let i = 1; i < parts.length; i += 1) expect(parts[i]?.start).toBe(parts[i - 1]?.end);
    expect(new Set(parts.map((part) => part.coefficient))).toEqual(new Set([0.7, 1.0, 1.2]));
  });
});
