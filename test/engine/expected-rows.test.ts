import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { COMPUTES_NOTHING } from "./expected-rows/computes-nothing.ts";
import { filesBelow, readFixtures } from "./expected-rows/fixture.ts";
import { runCase } from "./expected-rows/run-case.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
  // A merge would remove what a redelivered message replaces, before the statement has to.
  for (const stream of STREAMS) await engine.db.run(`SYSTEM STOP MERGES stg.${stream}_raw`);
});
afterAll(() => engine[Symbol.asyncDispose]());

const fixtures = readFixtures();

test("every file of sql either has expected rows or a reason why it computes nothing", () => {
  const files = filesBelow(SQL_ROOT, ".sql");
  const listed = COMPUTES_NOTHING.flatMap((group) => group.files).flatMap((path) =>
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
