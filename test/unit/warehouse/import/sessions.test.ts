import fc from "fast-check";
import { expect, test } from "vitest";
import { MINUTE } from "../../../../contract/time.ts";
import { parseMapping } from "../../../../warehouse/import/mapping.ts";
import { messageMapper } from "../../../../warehouse/import/messages.ts";
import { Sessions } from "../../../../warehouse/import/sessions.ts";

/** Sizes of the sessions of rows at these minutes. */
function sizes(minutes: readonly number[]): number[] {
  const sessions = new Sessions(30, "at");
  const ids = minutes.map((minute) => sessions.of("v", minute * MINUTE, "a.csv:2"));
  return [...Map.groupBy(ids, (id) => id).values()].map((rows) => rows.length);
}

test("a pause of more than 30 minutes begins a session, one of 30 does not", () => {
  expect(sizes([0, 30, 45, 76, 106])).toEqual([3, 2]);
});

test("each visitor has their own sessions", () => {
  const sessions = new Sessions(30, "at");
  expect(sessions.of("a", 0, "a.csv:2")).not.toBe(sessions.of("b", 0, "a.csv:3"));
});

test("rows forwards and backwards in time have the same sessions", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 1 }), (minutes) => {
      const forwards = [...minutes].sort((a, b) => a - b);
      const pauses = forwards.filter((at, i) => i > 0 && at - (forwards[i - 1] ?? 0) > 30);
      expect(sizes(forwards)).toHaveLength(pauses.length + 1);
      expect(sizes([...forwards].reverse())).toEqual(sizes(forwards).reverse());
    }),
  );
});

test("rows in any order have the sessions of sorted rows, or are refused", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }), (minutes) => {
      let found: number[];
      try {
        found = sizes(minutes);
      } catch (error) {
        expect((error as Error).message).toMatch(/^a\.csv:2: /);
        return;
      }
      const sorted = sizes([...minutes].sort((a, b) => a - b));
      expect([...found].sort()).toEqual([...sorted].sort());
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["between two sessions", [600, 840, 605, 845]],
  ["a session that reaches the one before, backwards", [640, 600, 625]],
])("refuses unsorted rows: %s", (_, minutes) => {
  expect(() => sizes(minutes)).toThrow(/^a\.csv:2: .* sessions need rows in order of time$/);
});

test("accepts unsorted rows within a session", () => {
  expect(sizes([10, 0, 20, 5, 90, 80, 100])).toEqual([4, 3]);
});

const MAPPING = `
time: { format: iso, zone: UTC }
columns: { event_timestamp: at, user_custom_id: visitor, page_url: url }
session_minutes: 10
`;

test("without a column of the session, rows get that of their visitor", () => {
  const map = messageMapper(parseMapping(MAPPING, "m.yaml"));
  const click = (at: string, visitor = "v") => {
    const found = map({ line: 2, content: at, values: { at, visitor, url: "/" } }, "a.csv");
    return "reason" in found ? found.reason : found.device.click_id;
  };
  const first = click("2026-01-01 10:00:00");
  expect(first).toMatch(/^[0-9a-f]{8}-/);
  expect(click("2026-01-01 10:10:00")).toBe(first);
  expect(click("2026-01-01 10:20:01")).not.toBe(first);
  expect(click("2026-01-01 10:00:00", "")).toBe(
    "user_custom_id: visitor is empty, and sessions are derived from it",
  );
});
