import { expect, test } from "vitest";
import { skipped, verdict } from "../../../../warehouse/history/checks/result.ts";
import { checkLine, checksSummary } from "../../../../warehouse/history/render.ts";

const ok = verdict("manifest", true, "one");
const failed = verdict("counts of geo", false, "none");
const unknown = skipped("digest of geo", "order across 4 partitions is not known");

test("what could not be checked is counted and named, and never among what holds", () => {
  expect(checksSummary([ok, ok])).toBe("2 checks: 2 ok, 0 failed, 0 not checked.");
  expect(checksSummary([ok, failed, unknown])).toBe(
    "3 checks: 1 ok, 1 failed, 1 not checked.\nNot checked, and so not proven: digest of geo (order across 4 partitions is not known).",
  );
  expect(checkLine(unknown)).toMatch(/^ {2}not checked {2}digest of geo/);
});
