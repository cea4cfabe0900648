import { expect, test } from "vitest";
import type { UserError } from "../../../../contract/errors.ts";
import { parseMapping } from "../../../../warehouse/import/mapping.ts";

const MAPPING = `time:
  format: iso
  zone: UTC
columns:
  event_timestamp: at
  click_id: session
`;

const errorOf = (text: string): UserError => {
  try {
    parseMapping(text, "m.yaml");
  } catch (error) {
    return error as UserError;
  }
  throw new Error("no error");
};

test("a mapping needs only time and session", () => {
  expect(parseMapping(MAPPING, "m.yaml")).toEqual({
    time: { format: "iso", zone: "UTC" },
    columns: { event_timestamp: "at", click_id: "session" },
    constants: {},
    session_minutes: 30,
    values: {},
  });
});

test.each<[string, string, RegExp]>([
  [
    "an unknown field",
    `${MAPPING}  pageurl: url\n`,
    /^m\.yaml:7: columns\.pageurl is not a key of a mapping\. Allowed: event_id, .*ip_address; did you mean page_url\?$/,
  ],
  [
    "an unknown block",
    `${MAPPING}column: {}\n`,
    /^m\.yaml:7: column is not a key of a mapping\. Allowed: time, delimiter, columns, constants, values, funnel, session_minutes; did you mean columns\?$/,
  ],
  [
    "a wrong time format",
    MAPPING.replace("iso", "HH:mm"),
    /^m\.yaml:2: time\.format "HH:mm": is not a time format\. Allowed: iso, unix_seconds, .*yyyy MM M/,
  ],
  [
    "a wrong time zone",
    MAPPING.replace("UTC", "Mars"),
    /^m\.yaml:3: time\.zone "Mars": is not a time zone\. Allowed: UTC, or a name such as/,
  ],
  [
    "no session",
    MAPPING.replace("  click_id: session\n", ""),
    /^m\.yaml:4: columns: needs event_timestamp \(column of the time\) and click_id/,
  ],
  ["no time zone", MAPPING.replace("  zone: UTC\n", ""), /^m\.yaml:1: time\.zone is missing/],
  ["an empty file", "", /^m\.yaml:1: time is missing/],
  ["a constant time", `${MAPPING}constants: { event_timestamp: 1 }\n`, /^m\.yaml:7: constants\./],
  [
    "an unknown event type",
    `${MAPPING}values:\n  event_type:\n    kauf: buy\n`,
    /^m\.yaml:9: values\.event_type\.kauf "buy": is not an event type\. Allowed: pageview, purchase$/,
  ],
  [
    "an unknown constant event type",
    `${MAPPING}constants: { event_type: buy }\n`,
    /^m\.yaml:7: constants\.event_type "buy": is not an event type\. Allowed: pageview, purchase$/,
  ],
  ["text that is not YAML", `${MAPPING}x: [1\n`, /^m\.yaml:\d is not YAML: /],
])("%s is one error with file, line and what is allowed", (_, text, expected) => {
  const { message, hint } = errorOf(text);
  expect(message).toMatch(expected);
  expect(hint).toBeTruthy();
});
