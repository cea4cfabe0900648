import { expect, test } from "vitest";
import { ddlFiles, readQuery } from "../../../../warehouse/sql.ts";

test("the ledger and the metrics use the time to live of the raw tables", () => {
  const raw = ddlFiles().filter(({ path }) => /10_stg\/.*_raw\.sql$/.test(path));
  expect(raw).toHaveLength(4);
  for (const { path, statements } of raw) {
    expect(statements.join(), path).toContain("TTL toDateTime(ingested_at) + INTERVAL 30 DAY");
  }
  expect(readQuery("checks/messages.sql")).toContain("ingested_at < now() - INTERVAL 30 DAY");
  expect(readQuery("ddl/40_dm/70_v_pipeline_metrics.sql")).toContain(
    "planned_at > now() - INTERVAL 30 DAY",
  );
});
