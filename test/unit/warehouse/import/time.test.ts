import { expect, test } from "vitest";
import { formatMicros } from "../../../../contract/time.ts";
import { timeParser } from "../../../../warehouse/import/time.ts";
import { isZone } from "../../../../warehouse/import/zone.ts";

const parsed = (format: string, zone: string, text: string): string => {
  const at = timeParser(format, zone)(text);
  return Number.isNaN(at) ? "none" : formatMicros(at);
};

test.each([
  ["iso", "UTC", "2026-01-05T09:00:00Z", "2026-01-05 09:00:00.000000"],
  ["iso", "UTC", "2026-01-05 09:00:00.1234567", "2026-01-05 09:00:00.123456"],
  ["iso", "America/New_York", "2026-01-05T09:00:00+02:00", "2026-01-05 07:00:00.000000"],
  ["iso", "America/New_York", "2026-01-05", "2026-01-05 05:00:00.000000"],
  ["iso", "Europe/Berlin", "2026-07-05 09:00", "2026-07-05 07:00:00.000000"],
  ["iso", "Asia/Kolkata", "2026-07-05 00:15:00", "2026-07-04 18:45:00.000000"],
  ["unix_seconds", "Europe/Berlin", "1767603600.25", "2026-01-05 09:00:00.250000"],
  ["unix_milliseconds", "UTC", "1767603600123", "2026-01-05 09:00:00.123000"],
  ["unix_microseconds", "UTC", "1767603600123456", "2026-01-05 09:00:00.123456"],
  ["dd.MM.yyyy HH:mm:ss", "Europe/Berlin", "05.01.2026 09:00:00", "2026-01-05 08:00:00.000000"],
  ["M/d/yyyy h:mm a", "UTC", "1/5/2026 12:05 AM", "2026-01-05 00:05:00.000000"],
  ["M/d/yyyy h:mm a", "UTC", "1/5/2026 1:05 pm", "2026-01-05 13:05:00.000000"],
  ["yyyyMMddHHmmss", "UTC", "20260105090000", "2026-01-05 09:00:00.000000"],
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
  ["iso", "2026-01-05 24:00:00"],
  ["iso", "05.01.2026"],
  ["iso", ""],
  ["unix_seconds", "soon"],
  ["M/d/yyyy h:mm a", "1/5/2026 13:05 PM"],
  ["dd.MM.yyyy", "05.01.2026 09:00"],
])("%s does not read %j", (format, text) => {
  expect(parsed(format, "UTC", text)).toBe("none");
});

test("zones are those of the time zone database", () => {
  expect(["UTC", "Europe/Berlin", "Berlin", ""].map(isZone)).toEqual([true, true, false, false]);
});
