import { describe, expect, test } from "vitest";
import { DAY, parseMicros } from "../../../contract/time.ts";
import { parseConfig } from "../../../generator/config.ts";
import {
  compareSize,
  describeSize,
  estimateSize,
  intensity,
} from "../../../generator/history-size.ts";

const T0 = parseMicros("2026-01-01T00:00:00Z");

test("the limits of a tick lower or raise the intensity", () => {
  const low = intensity(parseConfig({ GEN_LAMBDA_BASE_PER_MIN: "1" }));
  expect(low(1)).toBeCloseTo(12); // one page event in every tick of five seconds
  const high = intensity(parseConfig({ GEN_LAMBDA_BASE_PER_MIN: "10000" }));
  expect(high(1.2)).toBeCloseTo(600);
});

describe("the size of a history", () => {
  const sizeOf = (days: number) => estimateSize(parseConfig({}), T0, T0 + days * DAY);

  test("is announced with page events, messages, time and disk", () => {
    expect(describeSize(sizeOf(7))).toBe(
      "about 305,000 page events in 747,000 messages, 14 s, 136 MB of disk",
    );
    expect(describeSize(sizeOf(335))).toBe(
      "about 14,600,000 page events in 35,800,000 messages, 11 min, 6,510 MB of disk",
    );
  });

  test("of the default week is allowed, and of a year only with a limit that the hint names", () => {
    const compare = (days: number, maxEvents = 1_000_000) =>
      compareSize(sizeOf(days), { from: T0, to: T0 + days * DAY, maxEvents });
    expect(compare(7)).toBeNull();
    const refused = compare(365);
    expect(refused).toMatchObject({
      reason: expect.stringMatching(/^The history from .* to .* has about .*Allowed: 1,000,000/),
      hint: expect.stringContaining("allow 17000000: GEN_MAX_BACKFILL_EVENTS"),
    });
    expect(compare(365, refused?.maxEvents)).toBeNull();
    expect(compare(365, 1_234_567)?.reason).toMatch(/Allowed: 1,234,567 page events$/);
  });
});
