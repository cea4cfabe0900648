import fc from "fast-check";
import { expect, test } from "vitest";
import { formatMicros } from "../../../../contract/time.ts";
import { parseMapping } from "../../../../warehouse/import/mapping.ts";
import { messageMapper } from "../../../../warehouse/import/messages.ts";
import { NAMED_FORMATS, timeParser } from "../../../../warehouse/import/time.ts";
import { isZone } from "../../../../warehouse/import/zone.ts";

const parsed = (format: string, zone: string, text: string): string => {
  const at = timeParser(format, zone)(text);
  return Number.isNaN(at) ? "none" : formatMicros(at);
};

test.each([
  ["iso", "UTC", "2026-01-05T09:00:00Z", "2026-01-05 09:00:00.000000"],
  ["iso", "UTC", "2026-01-05 09:00:00.1234567", "2026-01-05 09:00:00.123456"],
  ["iso", "America/New_York", "2026-01-05T09:00:00+02:00", "2026-01-05 07:00:00.000000"],
  ["iso", "UTC", "2026-01-05 09:00:00-03", "2026-01-05 12:00:00.000000"],
  ["dd.MM.yyyy HH:mm Z", "Asia/Kolkata", "05.01.2026 09:00 +00", "2026-01-05 09:00:00.000000"],
  ["iso", "Europe/Berlin", "2026-07-05 09:00", "2026-07-05 07:00:00.000000"],
  ["iso", "Asia/Kolkata", "2026-07-05 00:15:00", "2026-07-04 18:45:00.000000"],
  ["unix_seconds", "Europe/Berlin", "1767603600.25", "2026-01-05 09:00:00.250000"],
  ["unix_milliseconds", "UTC", "1767603600123", "2026-01-05 09:00:00.123000"],
  ["dd.MM.yyyy HH:mm:ss", "Europe/Berlin", "05.01.2026 09:00:00", "2026-01-05 08:00:00.000000"],
  ["M/d/yyyy h:mm a", "UTC", "1/5/2026 12:05 AM", "2026-01-05 00:05:00.000000"],
])("%s in %s reads %s", (format, zone, text, expected) => {
  expect(parsed(format, zone, text)).toBe(expected);
});

test.each([
  ["Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25 00:30:00.000000"],
  ["America/New_York", "2026-11-01 01:30:00", "2026-11-01 05:30:00.000000"],
  ["Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04 14:45:00.000000"],
])("a time that a clock change in %s repeats is its first occurrence", (zone, text, expected) => {
  expect(parsed("iso", zone, text)).toBe(expected);
});

test("a time that a clock change skips moves forward", () => {
  expect(parsed("iso", "Europe/Berlin", "2026-03-29 02:30:00")).toBe("2026-03-29 01:30:00.000000");
});

test.each([
  ["iso", "2026-02-30 09:00:00"],
  ["iso", "05.01.2026"],
  ["iso", ""],
  ["M/d/yyyy h:mm a", "1/5/2026 13:05 PM"],
  ["dd.MM.yyyy", "05.01.2026 09:00"],
])("%s does not read %j", (format, text) => {
  expect(parsed(format, "UTC", text)).toBe("none");
});

test("zones are those of the time zone database", () => {
  expect(["UTC", "Europe/Berlin", "Berlin", ""].map(isZone)).toEqual([true, true, false, false]);
});

const mapperOf = (format: string, zone = "UTC") =>
  messageMapper(
    parseMapping(
      `time: { format: "${format}", zone: ${zone} }\ncolumns: { event_timestamp: at, click_id: session }\n`,
      "m.yaml",
    ),
  );
const mapTime = (map: ReturnType<typeof mapperOf>, at: unknown) =>
  map({ line: 2, content: "", values: { at, session: "s1" } }, "a.csv");

test.each([
  [
    "unix_seconds",
    1767603600123456,
    'event_timestamp: at "1767603600123456" is after 9999 as unix_seconds. Allowed: 2000 to 2099; did you mean time.format unix_microseconds?',
  ],
  [
    "unix_milliseconds",
    "1767603600",
    'event_timestamp: at "1767603600" is 1970-01-21 11:00:03.600000 as unix_milliseconds. Allowed: 2000 to 2099; did you mean time.format unix_seconds?',
  ],
  [
    "iso",
    "9999-12-31T23:59:59-05:00",
    'event_timestamp: at "9999-12-31T23:59:59-05:00" is after 9999 as iso. Allowed: 2000 to 2099',
  ],
])("%s of %j is outside the years of the pipeline", (format, at, reason) => {
  expect(mapTime(mapperOf(format), at)).toEqual({ reason });
});

const PATTERNS = ["dd.MM.yyyy HH:mm:ss.S", "M/d/yyyy h:mm a", "yyyyMMddHHmmss", "d.M.yyyy H:mm Z"];
const digits = (count: number) => fc.nat(10 ** count - 1).map((n) => `${n}`.padStart(count, "0"));
const dateLike = fc
  .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(4))
  .chain(([year, month, day, hour, minute, second, offset]) =>
    fc.constantFrom(
      `${year}-${month}-${day}T${hour}:${minute}:${second}-${offset}`,
      `${year}-${month}-${day} ${hour}:${minute}:${second}`,
      `${day}.${month}.${year} ${hour}:${minute}:${second}.${offset}`,
      `${month}/${day}/${year} ${hour}:${minute} pm`,
      `${year}${month}${day}${hour}${minute}${second}`,
      `${day}.${month}.${year} ${hour}:${minute} +${offset}`,
    ),
  );

test("any value is a time from 2000 to 2099, or a reason with the value", () => {
  const mappers = [...NAMED_FORMATS, ...PATTERNS].flatMap((format) =>
    ["UTC", "America/New_York"].map((zone) => mapperOf(format, zone)),
  );
  const value = fc.oneof(
    ...[dateLike, fc.string(), fc.double(), fc.integer(), fc.maxSafeInteger(), fc.jsonValue()],
    fc.stringMatching(/^\d{1,17}(\.\d{1,9})?$/),
  );
  fc.assert(
    fc.property(value, fc.constantFrom(...mappers), (at, map) => {
      const found = mapTime(map, at);
      if ("reason" in found) expect(found.reason).toMatch(/^event_timestamp: at /);
      else expect(found.browser.event_timestamp).toMatch(/^20\d\d-\d\d-\d\d \d\d:/);
    }),
    { numRuns: 2000 },
  );
});
