import { expect, test } from "vitest";
import { readQuery, readStatements } from "../../../../warehouse/sql.ts";

test("the reconciliation and the metrics use the time to live of the raw table", () => {
  const [table] = readStatements("ddl/10_stg/10_raw.sql");
  expect(table).toContain("TTL toDateTime(ingested_at) + INTERVAL 30 DAY");
  expect(readQuery("checks/messages.sql")).toContain("ingested_at < now() - INTERVAL 30 DAY");
  expect(readStatements("ddl/40_dm/70_v_pipeline_metrics.sql")[0]).toContain(
    "planned_at > now() - INTERVAL 30 DAY",
  );
});
