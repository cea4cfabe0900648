import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyMutation, outcomeFrom, readMutations } from "../../../scripts/sql-mutations.ts";
import { SQL_ROOT } from "../../../warehouse/sql.ts";

const mutations = readMutations();

test.each(mutations)("$file can be changed so that $breaks", (mutation) => {
  const sql = readFileSync(join(SQL_ROOT, mutation.file), "utf8");
  expect(applyMutation(sql, mutation)).not.toBe(sql);
});

test("the docs have the number of mutations", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/verification.md"), "utf8");
  expect(page).toContain(`lists ${mutations.length} changes to the SQL`);
});

test("there are at least 60 mutations, without repeats", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(60);
  const texts = mutations.map(({ file, find, replace }) => `${file} ${find} ${replace}`);
  expect(new Set(texts).size).toBe(texts.length);
});

const ASSERTION = "AssertionError: expected 1 to be 2";
const TEST_TIMEOUT =
  "TestTimeoutError: Test timed out in 300000ms.\nIf this is a long-running test";
const HOOK_TIMEOUT = "Hook timed out in 300000ms.";
const DATABASE = "DatabaseError: Code: 47. Unknown identifier";

/** A report of one file whose tests fail with these messages. */
const report = (failures: readonly string[], message = "") => ({
  success: false,
  testResults: [
    {
      message,
      assertionResults: [
        { status: "passed", failureMessages: [] },
        ...failures.map((text) => ({ status: "failed", failureMessages: [text] })),
      ],
    },
  ],
});

test.each([
  ["an assertion", report([ASSERTION]), "killed"],
  ["an assertion beside a time-out", report([TEST_TIMEOUT, ASSERTION]), "killed"],
  ["a time-out", report([TEST_TIMEOUT]), "timed out"],
  ["a time-out beside an error of the engine", report([DATABASE, TEST_TIMEOUT]), "timed out"],
  ["a time-out of a hook", report([], HOOK_TIMEOUT), "timed out"],
  ["an error of the engine", report([DATABASE]), "refused"],
  ["a file that fails without a test", report([], "SyntaxError"), "refused"],
  ["no failure", { success: true, testResults: [] }, "survived"],
] as const)("%s", (_, tests, outcome) => {
  expect(outcomeFrom(tests)).toBe(outcome);
});
