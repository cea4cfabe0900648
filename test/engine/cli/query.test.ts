import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EmbeddedEngine } from "../../../embedded/engine.ts";
import { applyDdl } from "../../../warehouse/schema/ddl.ts";
import { pipeline } from "../../support/cli.ts";

const root = mkdtempSync(join(tmpdir(), "query-"));
const database = join(root, "data");
beforeAll(async () => {
  const db = new EmbeddedEngine(database);
  await applyDdl(db, "all");
  await db.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const query = (...args: string[]) => pipeline(["query", ...args, "--database", database]);

const TWO_ROWS = "SELECT number AS n, 'é' AS letter FROM numbers(2)";

test("the answer is a table for people, unless a format is given", () => {
  expect(query(TWO_ROWS).stdout).toContain("│ 0 │ é      │");
  expect(query(`${TWO_ROWS};`, "--format", "CSVWithNames").stdout).toBe(
    '"n","letter"\n0,"é"\n1,"é"\n',
  );
  expect(query(`${TWO_ROWS} FORMAT JSONEachRow`).stdout).toContain('{"n":0,"letter":"é"}');
});

test.each([
  "INSERT INTO dds.click SELECT * FROM dds.click",
  "TRUNCATE TABLE dds.click",
  "DROP TABLE dds.click",
  "SELECT 1 SETTINGS readonly = 0",
])("a statement that could write is refused: %s", (sql) => {
  const { status, stdout, stderr } = query(sql);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/readonly mode/);
  expect(query("SELECT count() FROM dds.click", "--format", "TSV").stdout).toBe("0\n");
});

test("a mistyped table is answered with the command that lists them", () => {
  const { status, stderr } = query("SELECT * FROM dm.evnt");
  expect(status).toBe(1);
  expect(stderr).toContain(`hint: pipeline query "SHOW TABLES FROM dm" --database ${database}`);
  expect(query("SHOW TABLES FROM dm", "--format", "TSV").stdout).toContain("v_funnel\n");
});

test("an unknown format is refused by its name", () => {
  const { status, stderr } = query("SELECT 1", "--format", "Nope");
  expect(status).toBe(1);
  expect(stderr).toContain("Unknown format Nope");
});
