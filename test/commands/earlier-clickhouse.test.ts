import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";
import { ddlFilesOf } from "../../warehouse/schema/ddl.ts";
import { readStatements } from "../../warehouse/sql.ts";
import { pipeline } from "../support/cli.ts";
import { runEarlier } from "../support/earlier-engine.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("earlier-clickhouse");

test("a newer ClickHouse reads, checks and computes what an earlier one wrote", async () => {
  const now = join(root, "now");
  const earlier = join(root, "earlier");
  mkdirSync(earlier);
  expect(pipeline(["data", "--limit", "20000", "--database", now])).toMatchObject({ status: 0 });
  expect(pipeline(["transform", "--database", now])).toMatchObject({ status: 0 });
  const db = await openWorkspace(now);
  const written = await digests(db);
  const tables = await db.rows<{ name: string; rows: string }>(
    `SELECT concat(database, '.', table) AS name, concat(name, if(engine LIKE 'Replacing%', ' FINAL', '')) AS rows
     FROM system.tables
     WHERE database IN ('stg', 'ods', 'dds', 'dm', 'dm_internal') AND total_rows > 0 AND engine LIKE '%MergeTree'`,
  );
  for (const { name, rows } of tables) {
    writeFileSync(join(root, name), await db.read(`SELECT * FROM ${rows}`, "Native"));
  }
  await db.close();

  runEarlier(earlier, [
    ...readStatements("ddl/00_databases.sql"),
    ...ddlFilesOf("all").flatMap(({ statements }) => statements),
    ...tables.map(
      ({ name }) => `INSERT INTO ${name} SELECT * FROM file('${join(root, name)}', Native)`,
    ),
  ]);
  const on = ["--database", earlier];
  expect(pipeline(["ddl", ...on]).stdout).toContain(
    "0 objects created, 0 views replaced, 0 tables changed",
  );
  expect(pipeline(["ddl", "--verify", ...on])).toMatchObject({ status: 0 });
  expect(pipeline(["transform", ...on])).toMatchObject({ status: 0 });
  const proof = pipeline(["prove", "--deep", ...on]);
  expect(proof.status, proof.stdout).toBe(0);
  const upgraded = await openWorkspace(earlier);
  expect(await digests(upgraded)).toEqual(written);
  await upgraded.close();
});
