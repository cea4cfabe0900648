import { expect, test } from "vitest";
import { skipped, verdict } from "../../../../warehouse/history/checks/result.ts";
import { checkLine, checksSummary } from "../../../../warehouse/history/render.ts";

const ok = verdict("manifest", true, "one");
const failed = verdict("counts of geo", false, "none");
const unknown = skipped("digest of geo", "order across 4 partitions is unknown");

test("skipped checks are counted and named, and never among those that pass", () => {
  expect(checksSummary([ok, ok])).toBe("2 checks: 2 ok, 0 failed, 0 not checked.");
  expect(checksSummary([ok, failed, unknown])).toBe(
    "3 checks: 1 ok, 1 failed, 1 not checked.\nSkipped checks, which prove nothing: digest of geo (order across 4 partitions is unknown).",
  );
  expect(checkLine(unknown)).toMatch(/^ {2}not checked {2}digest of geo/);
});
