import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { filesBelow, readFixtures } from "./expected-rows/fixture.ts";
import { runCase } from "./expected-rows/run-case.ts";
import { WITHOUT_ROWS } from "./expected-rows/without-rows.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
  // A merge would remove replaced rows before the tested statement does.
  await engine.db.run("SYSTEM STOP MERGES stg.raw");
});
afterAll(() => engine[Symbol.asyncDispose]());

const fixtures = readFixtures();

test("every file of sql has expected rows, or a reason why it computes nothing", () => {
  const files = filesBelow(SQL_ROOT, ".sql");
  const listed = WITHOUT_ROWS.flatMap((group) => group.files).flatMap((path) =>
    path.endsWith("/") ? files.filter((file) => file.startsWith(path)) : [path],
  );
  const tested = fixtures.flatMap(({ file, also }) => [file, ...also]);
  expect([...tested, ...listed].sort()).toEqual(files);
});

for (const fixture of fixtures) {
  describe(`sql/${fixture.file}`, () => {
    test.each(Object.entries(fixture.cases))("%s", async (_, one) => {
      const { found, expected } = await runCase(engine.db, fixture, one);
      expect(found).toEqual(expected);
    });
  });
}
