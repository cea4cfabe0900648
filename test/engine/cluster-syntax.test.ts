import { expect, test } from "vitest";
import { onCluster } from "../../warehouse/database/cluster.ts";
import { ddlFilesOf } from "../../warehouse/schema/ddl.ts";
import { openTestEngine } from "../support/engine.ts";

/** Forms of definitions outside the DDL files. */
const OTHERS = [
  "CREATE DATABASE IF NOT EXISTS a COMMENT 'b 1'",
  "DROP DATABASE IF EXISTS a SYNC",
  "CREATE TABLE IF NOT EXISTS a.b UUID '11111111-1111-4111-8111-111111111111' (c Int8) ENGINE = ReplicatedMergeTree ORDER BY c",
  "DROP TABLE a.b SYNC",
  "RENAME TABLE a.b TO c.b",
  "EXCHANGE TABLES a.b AND c.b",
  "DETACH TABLE a.b SYNC",
  "ATTACH TABLE IF NOT EXISTS a.b",
  "ALTER TABLE a.b MODIFY COMMENT 'c'",
  "ALTER TABLE a.b COMMENT COLUMN c 'd', COMMENT COLUMN e 'f'",
  "SYSTEM SYNC REPLICA a.b LIGHTWEIGHT",
];

test("the engine parses each definition as one of the cluster", async () => {
  await using engine = await openTestEngine({ withSchema: false });
  const ddl = ddlFilesOf("service").flatMap(({ statements }) => statements);
  for (const statement of [...ddl, ...OTHERS]) {
    const [parsed] = await engine.db.rows<{ text: string }>(
      "SELECT formatQuery({statement:String}) AS text",
      { statement: onCluster(statement, "my-events") },
    );
    expect(parsed?.text).toContain("ON CLUSTER `my-events`");
  }
});
