import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("export");
const database = join(root, "data");
const to = join(root, "out");

beforeAll(async () => {
  const db = await openWorkspace(database);
  await db.run(
    `CREATE VIEW default.days AS
     SELECT toDateTime64('2026-01-01', 6, 'UTC') + number * 43200 AS at FROM numbers(5)`,
  );
  await db.run("CREATE VIEW default.total AS SELECT count() AS n FROM default.days");
  // Many blocks are sent before the error.
  await db.run(
    "CREATE VIEW default.broken AS SELECT number, throwIf(number = 9999999) AS n FROM numbers(1e7)",
  );
  await db.close();
});

const exported = (...args: string[]) =>
  pipeline(["export", ...args, "--to", to, "--database", database]);

test("writes a table, or a file per day in its place, and keeps other files", () => {
  expect(exported("default.days", "default.total").stdout).toMatch(
    /default\.days\.parquet +│ +1 │ +5 │\n.*default\.total\.parquet +│ +1 │ +1 │/,
  );
  expect(exported("default.days", "--by-day", "--replace").stdout).toMatch(
    /default\.days +│ +3 │ +5 │/,
  );
  expect(readdirSync(to).toSorted()).toEqual(["default.days", "default.total.parquet"]);
  const days = ["2026-01-01.parquet", "2026-01-02.parquet", "2026-01-03.parquet"];
  expect(readdirSync(join(to, "default.days")).toSorted()).toEqual(days);
});

test("refuses a folder with files, an unknown table, and days of a table without one", () => {
  expect(exported("default.days").stderr).toBe(
    `error: --to ${to} is not empty. Nothing was written\n` +
      "  hint: add --replace to replace the files of these tables, or choose another folder\n",
  );
  expect(exported("dm.sesion", "--replace").stderr).toBe(
    "error: There is no table dm.sesion. Allowed: LAYER.TABLE, such as dm.session\n" +
      `  hint: run \`./pipeline query "SHOW TABLES FROM dm" --database ${database}\`\n`,
  );
  expect(exported("default.total", "--by-day", "--replace").stderr).toBe(
    "error: default.total has no column of type Date or DateTime\n" +
      "  hint: export it without --by-day\n",
  );
});

test("writes nothing if a table fails late, and removes what a killed export left", () => {
  rmSync(to, { recursive: true });
  mkdirSync(join(to, ".unfinished"), { recursive: true });
  writeFileSync(join(to, ".unfinished", "default.days.parquet"), "half");
  const { status, stderr } = exported("default.days", "default.broken");
  expect(status).toBe(1);
  expect(stderr).toContain("error: default.broken cannot be read, so nothing was exported: ");
  expect(existsSync(to) && readdirSync(to)).toEqual([]);
});
