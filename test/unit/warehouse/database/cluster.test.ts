import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { onCluster, requireOneShard } from "../../../../warehouse/database/cluster.ts";
import { ddlFilesOf } from "../../../../warehouse/schema/ddl.ts";
import { readStatements, SQL_ROOT } from "../../../../warehouse/sql.ts";

const ddl = ddlFilesOf("service").flatMap(({ statements }) => statements);
const etl = readdirSync(join(SQL_ROOT, "etl"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".sql"))
  .flatMap((path) => readStatements(join("etl", path)));
const clusterName = fc.stringMatching(/^[\w.-]{1,20}$/);

describe("the DDL of a cluster", () => {
  test("is this", async () => {
    const text = ddl.map((statement) => `${onCluster(statement, "events")};\n`).join("\n");
    await expect(text).toMatchFileSnapshot("../../../golden/ddl-cluster.sql");
  });

  test("differs from that of one server in the cluster and the engine only", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ddl), clusterName, (statement, cluster) => {
        const changed = onCluster(statement, cluster);
        expect(changed.split(` ON CLUSTER '${cluster}'`)).toHaveLength(2);
        const back = changed
          .replace(` ON CLUSTER '${cluster}'`, "")
          .replace(/^ENGINE = Replicated/m, "ENGINE = ");
        expect(back).toBe(statement);
      }),
    );
  });

  test("replicates every table that has rows", () => {
    const engines = ddl.flatMap(
      (statement) => /^ENGINE = (\w+)/m.exec(onCluster(statement, "c"))?.[1] ?? [],
    );
    expect(new Set(engines)).toEqual(
      new Set(["ReplicatedMergeTree", "ReplicatedReplacingMergeTree", "Null"]),
    );
  });
});

describe("other statements", () => {
  test("of the batch process stay as they are, except exchanges", () => {
    const tables = [
      "event_enriched",
      "session",
      "page_view",
      "dq_summary",
      "complete_period",
      "truth",
      "visitor",
    ];
    const changed = etl.map((sql) => onCluster(sql, "c")).filter((sql, at) => sql !== etl[at]);
    expect(changed.map((statement) => statement.split("\n").at(-1))).toEqual(
      tables.map(
        (name) => `EXCHANGE TABLES dm.${name} AND dm_internal.${name}_build ON CLUSTER 'c'`,
      ),
    );
  });

  test.each([
    ["CREATE DATABASE a_1", "CREATE DATABASE a_1 ON CLUSTER 'c'"],
    [
      "CREATE DATABASE IF NOT EXISTS a COMMENT 'b 1'",
      "CREATE DATABASE IF NOT EXISTS a ON CLUSTER 'c' COMMENT 'b 1'",
    ],
    [
      "CREATE TABLE a.b UUID '0-1' (c Int8) ENGINE = ReplicatedMergeTree('p', 'r') ORDER BY c",
      "CREATE TABLE a.b UUID '0-1' ON CLUSTER 'c' (c Int8) ENGINE = ReplicatedMergeTree('p', 'r') ORDER BY c",
    ],
    ["DROP DATABASE IF EXISTS ods SYNC", "DROP DATABASE IF EXISTS ods ON CLUSTER 'c' SYNC"],
    ["DROP TABLE dm.v SYNC", "DROP TABLE dm.v ON CLUSTER 'c' SYNC"],
    ["RENAME TABLE dm.a TO dm_internal.a", "RENAME TABLE dm.a TO dm_internal.a ON CLUSTER 'c'"],
    ["DETACH TABLE stg.q SYNC", "DETACH TABLE stg.q ON CLUSTER 'c' SYNC"],
    ["ATTACH TABLE IF NOT EXISTS stg.q", "ATTACH TABLE IF NOT EXISTS stg.q ON CLUSTER 'c'"],
    ["ALTER TABLE dm.a MODIFY COMMENT 'b'", "ALTER TABLE dm.a ON CLUSTER 'c' MODIFY COMMENT 'b'"],
    ["ALTER TABLE a COMMENT COLUMN b ''", "ALTER TABLE a ON CLUSTER 'c' COMMENT COLUMN b ''"],
    ["SYSTEM SYNC REPLICA a.b LIGHTWEIGHT", "SYSTEM SYNC REPLICA ON CLUSTER 'c' a.b LIGHTWEIGHT"],
    [
      "\n  SELECT 1 FROM system.processes",
      "\n  SELECT 1 FROM clusterAllReplicas('c', system.processes)",
    ],
    ["INSERT INTO t SELECT 'CREATE TABLE a'", "INSERT INTO t SELECT 'CREATE TABLE a'"],
    ["ALTER TABLE a MOVE PARTITION '1' TO TABLE b", "ALTER TABLE a MOVE PARTITION '1' TO TABLE b"],
    ["TRUNCATE TABLE a", "TRUNCATE TABLE a"],
  ])("%s", (statement, changed) => {
    expect(onCluster(statement, "c")).toBe(changed);
  });
});

test.each([
  [undefined, "is not in system.clusters"],
  [{ shards: 0, replicas: 0 }, "is not in system.clusters"],
  [{ shards: 2, replicas: 4 }, "has 2 shards"],
])("a cluster of %o is refused", (size, why) => {
  expect(() => requireOneShard("events", "http://db", size)).toThrow(
    `The cluster events of http://db ${why}. Allowed: a cluster of one shard`,
  );
  expect(requireOneShard("events", "http://db", { shards: 1, replicas: 3 })).toBe(3);
});
