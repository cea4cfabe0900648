import { expect, test } from "vitest";
import { isAsynchronous, isDocumented } from "../../monitoring/recorded/read.ts";
import { usedMetrics } from "../../support/metric-names.ts";

const asked = [...usedMetrics().keys()].filter(isAsynchronous);

test("dashboards and rules ask a good dozen of asynchronous metrics", () => {
  expect(asked.length).toBeGreaterThan(11);
});

/** The embedded engine answers under names that we have given it: that it does proves nothing. */
test.each(asked)("%s is a name that ClickHouse documents", (name) => {
  expect(isDocumented(name)).toBe(true);
});

test.each(["ClickHouseAsyncMetrics_MemoryResidentt", "ClickHouseAsyncMetrics_DiskAvailable_"])(
  "%s is none",
  (name) => expect(isDocumented(name)).toBe(false),
);
