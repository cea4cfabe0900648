import { describe, expect, test } from "vitest";
import { DAY, formatMicros, HOUR, MINUTE, parseMicros } from "../../../../contract/time.ts";
import { parseConfig } from "../../../../generator/config.ts";
import { constantModel } from "../../../../warehouse/history/model.ts";
import {
  dailyProfile,
  expectedEvents,
  hourlyWave,
  ratioToModel,
} from "../../../../warehouse/history/wave.ts";

const T0 = parseMicros("2026-01-01T00:00:00Z");
const at = (text: string) => parseMicros(`2026-01-01T${text}:00Z`);
const periodsOf = (env: Record<string, string>) => constantModel(parseConfig(env)).periods;

describe("expected page events", () => {
  const expected = expectedEvents(periodsOf({}));

  test("are base × coefficient × minutes, hours of both borders included", () => {
    expect(expected(at("05:00"), at("06:00"))).toBeCloseTo(30 * 0.7 * 60);
    expect(expected(at("06:00"), at("07:00"))).toBeCloseTo(30 * 60);
    expect(expected(at("09:00"), at("10:00"))).toBeCloseTo(30 * 1.2 * 60);
    expect(expected(at("18:00"), at("19:00"))).toBeCloseTo(30 * 1.2 * 60);
    expect(expected(at("19:00"), at("20:00"))).toBeCloseTo(30 * 60);
  });

  test("weight parts of hours by their length", () => {
    expect(expected(at("05:50"), at("06:20"))).toBeCloseTo(30 * (0.7 * 10 + 20));
  });

  test("over a whole day equal the mean coefficient", () => {
    expect(expected(T0, T0 + DAY)).toBeCloseTo(30 * 60 * (6 * 0.7 + 10 * 1.2 + 8));
  });

  test("follow the model's time zone with daylight saving", () => {
    const berlin = expectedEvents(periodsOf({ GEN_MODEL_TIMEZONE: "Europe/Berlin" }));
    expect(berlin(at("05:00"), at("06:00"))).toBeCloseTo(30 * 60);
    const summer = parseMicros("2026-07-01T04:00:00Z");
    expect(berlin(summer, summer + HOUR)).toBeCloseTo(30 * 60);
    const kolkata = expectedEvents(periodsOf({ GEN_MODEL_TIMEZONE: "Asia/Kolkata" }));
    // 03:00 to 04:00 UTC is 08:30 to 09:30 there.
    expect(kolkata(at("03:00"), at("04:00"))).toBeCloseTo(30 * (30 + 30 * 1.2));
  });
});

test("each period has its own settings, also within an hour", () => {
  const [before, after] = [parseConfig({}), parseConfig({ GEN_LAMBDA_BASE_PER_MIN: "60" })];
  const expected = expectedEvents([
    { from: Number.NEGATIVE_INFINITY, config: before },
    { from: at("12:15"), config: after },
  ]);
  expect(expected(at("12:00"), at("13:00"))).toBeCloseTo(1.2 * (15 * 30 + 45 * 60));
  expect(expected(at("11:00"), at("12:00"))).toBeCloseTo(1.2 * 60 * 30);
});

describe("the wave", () => {
  const model = constantModel(parseConfig({}));
  const quarters = [
    { started_at: "2026-01-01 00:15:00", page_events: 3 },
    { started_at: "2026-01-01 00:45:00", page_events: 4 },
    { started_at: "2026-01-01 02:00:00", page_events: 5 },
  ];

  test("has every hour, including those without an event", () => {
    const wave = hourlyWave(quarters, model, { from: T0, to: T0 + 3 * HOUR }, "UTC");
    expect(wave.map((point) => point.observed)).toEqual([7, 0, 5]);
    expect(wave.map((point) => Math.round(point.expected))).toEqual([1260, 1260, 1260]);
  });

  test("expects less in hours that are only partly inside", () => {
    const interval = { from: T0 + 20 * MINUTE, to: T0 + HOUR + 5 * MINUTE };
    const wave = hourlyWave(quarters, model, interval, "UTC");
    expect(wave.map((point) => Math.round(point.expected))).toEqual([840, 105]);
  });

  test("has no expected events without a model", () => {
    const wave = hourlyWave([], undefined, { from: T0, to: T0 + HOUR }, "UTC");
    expect(wave).toEqual([{ start: T0, shown: T0, observed: 0, expected: Number.NaN }]);
  });

  test.each([
    // The clock shows 02:00 twice, and half an hour begins and ends the hours of a zone with one.
    [
      "Europe/Berlin",
      "2026-10-25T00:00:00Z",
      3,
      ["2026-10-25 02:00", "2026-10-25 02:00", "2026-10-25 03:00"],
    ],
    ["Asia/Kolkata", "2026-01-01T18:30:00Z", 2, ["2026-01-02 00:00", "2026-01-02 01:00"]],
  ])("has the hours of a clock in %s", (timezone, from, hours, shown) => {
    const start = parseMicros(from);
    const quarters = [{ started_at: formatMicros(start + 45 * MINUTE), page_events: 2 }];
    const interval = { from: start, to: start + hours * HOUR };
    const wave = hourlyWave(quarters, undefined, interval, timezone);
    expect(wave.map((point) => formatMicros(point.shown).slice(0, 16))).toEqual(shown);
    expect(wave.map((point) => point.start)).toEqual(shown.map((_, i) => start + i * HOUR));
    expect(wave[0]?.observed).toBe(2);
  });

  test("is compared with the model as a whole", () => {
    const points = [
      { start: 0, shown: 0, observed: 50, expected: 100 },
      { start: 1, shown: 1, observed: 250, expected: 200 },
    ];
    expect(ratioToModel(points)).toBe(1);
  });
});

describe("the mean day", () => {
  test("is a rate per hour of the site's clock, over the covered time", () => {
    const model = constantModel(parseConfig({ GEN_MODEL_TIMEZONE: "Asia/Kolkata" }));
    const quarters = [
      { started_at: "2026-01-01 18:30:00", page_events: 10 }, // 00:00 there
      { started_at: "2026-01-02 18:30:00", page_events: 20 },
    ];
    const interval = { from: T0, to: T0 + 2 * DAY };
    const profile = dailyProfile(quarters, model, interval, "Asia/Kolkata");
    expect(profile).toHaveLength(24);
    expect(profile[0]).toMatchObject({ hour: 0, observed: 15 });
    expect(profile[0]?.expected).toBeCloseTo(1260);
    expect(profile[9]?.expected).toBeCloseTo(2160);
  });

  test("leaves out hours outside of the interval", () => {
    const interval = { from: T0, to: T0 + 90 * MINUTE };
    const profile = dailyProfile([], constantModel(parseConfig({})), interval, "UTC");
    expect(profile.map((entry) => entry.hour)).toEqual([0, 1]);
    expect(profile[1]?.expected).toBeCloseTo(1260);
  });
});
