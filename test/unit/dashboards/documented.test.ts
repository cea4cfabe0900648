import { expect, test } from "vitest";
import { isAsynchronous, isDocumented } from "../../monitoring/recorded/read.ts";
import { usedMetrics } from "../../support/metric-names.ts";

const asked = [...usedMetrics().keys()].filter(isAsynchronous);

test("dashboards and rules use at least a dozen asynchronous metrics", () => {
  expect(asked.length).toBeGreaterThan(11);
});

/**
 * The offline image exports names that this project gave it, so only the documentation proves them.
 */
test.each(asked)("ClickHouse documents %s", (name) => {
  expect(isDocumented(name)).toBe(true);
});

test.each(["ClickHouseAsyncMetrics_MemoryResidentt", "ClickHouseAsyncMetrics_DiskAvailable_"])(
  "ClickHouse does not document %s",
  (name) => expect(isDocumented(name)).toBe(false),
);
