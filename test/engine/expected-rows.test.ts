import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { filesBelow, readFixtures } from "./expected-rows/fixture.ts";
import { runCase } from "./expected-rows/run-case.ts";
import { WITHOUT_ROWS } from "./expected-rows/without-rows.ts";

const engine = useTestEngine();
beforeAll(async () => {
  // A merge would remove replaced rows before the tested statement does.
  await engine.db.run("SYSTEM STOP MERGES stg.raw");
});

const fixtures = readFixtures();

test("every file of sql that selects has expected rows, or a reason why not", () => {
  const files = filesBelow(SQL_ROOT, ".sql").filter(selectsRows);
  const listed = WITHOUT_ROWS.flatMap((group) => group.files).flatMap((path) =>
    path.endsWith("/") ? files.filter((file) => file.startsWith(path)) : [path],
  );
  const tested = fixtures.flatMap(({ file, also }) => [file, ...also]);
  expect([...tested, ...listed].sort()).toEqual(files);
});

/** False for the DDL of tables: sql/schema.json records what they are. */
const selectsRows = (file: string): boolean =>
  !file.startsWith("ddl/") ||
  /\bAS\s+(?:WITH|SELECT)\b|^CREATE OR REPLACE FUNCTION /m.test(
    readFileSync(join(SQL_ROOT, file), "utf8"),
  );

for (const fixture of fixtures) {
  describe(`sql/${fixture.file}`, () => {
    test.each(Object.entries(fixture.cases))("%s", async (_, one) => {
      const { found, expected } = await runCase(engine.db, fixture, one);
      expect(found).toEqual(expected);
    });
  });
}
