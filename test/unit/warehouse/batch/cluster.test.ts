import { expect, test } from "vitest";
import type { Database } from "../../../../contract/ports.ts";
import { syncReplicas } from "../../../../warehouse/batch/sync-replicas.ts";
import { applyDdl } from "../../../../warehouse/schema/ddl.ts";

async function statementsOf(cluster?: string): Promise<string[]> {
  const statements: string[] = [];
  const db = {
    ...(cluster === undefined ? {} : { cluster }),
    rows: async () => [{ name: "ods.load_commit" }, { name: "stg.lease" }],
    run: async (sql: string) => {
      statements.push(sql);
    },
  } as unknown as Database;
  await syncReplicas(db);
  return statements;
}

test("each replicated table of a cluster is synchronised, and none of one server", async () => {
  expect(await statementsOf()).toEqual([]);
  expect(await statementsOf("events")).toEqual([
    "SYSTEM SYNC REPLICA ods.load_commit",
    "SYSTEM SYNC REPLICA stg.lease",
  ]);
});

test("the Kafka engine is refused on a cluster before any statement", async () => {
  const db = { cluster: "events" } as Database;
  await expect(applyDdl(db, "broker")).rejects.toThrow("Allowed: service, all");
});
