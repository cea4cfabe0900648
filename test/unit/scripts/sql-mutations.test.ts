import { expect, test } from "vitest";
import {
  generatedMutations,
  listedMutations,
  outcomeFrom,
} from "../../../scripts/sql-mutations.ts";
import { applyEdit, editsOf } from "../../../scripts/sql-operators.ts";

test("each listed change applies, and no operator makes it", () => {
  const plain = (sql: string) => sql.replaceAll(/\s+/g, "");
  const generated = new Set(generatedMutations().map(({ sql }) => plain(sql)));
  const repeated = listedMutations().filter(({ sql }) => generated.has(plain(sql)));
  expect(repeated.map(({ file, breaks }) => `${file}: ${breaks}`)).toEqual([]);
});

const operators: [sql: string, changed: string[]][] = [
  ["SELECT argMinIf(a, b)", ["SELECT argMaxIf(a, b)"]],
  ["SELECT least(a, b) AS min", ["SELECT greatest(a, b) AS min"]],
  ["SELECT a < b, x -> y", ["SELECT a <= b, x -> y"]],
  ["SELECT a + 1 -- < 5", ["SELECT a + 2 -- < 5"]],
  ["SELECT '1 < 2 AND b'", []],
  ["SELECT NOT a", ["SELECT a"]],
  ["SELECT if(a, b, f(c, d))", ["SELECT if(a, f ( c , d ), b)"]],
  ["SELECT multiIf(a, 1, b, 2, 3)", ["SELECT multiIf(b , 2, a , 1, 3)"]],
  [
    "SELECT a ORDER BY a, b DESC",
    ["SELECT a ORDER BY a, b ", "SELECT a ORDER BY  b DESC", "SELECT a ORDER BY a"],
  ],
  [
    "SELECT argMax(a, (b, c))",
    ["SELECT argMin(a, (b, c))", "SELECT argMax(a, ( c))", "SELECT argMax(a, (b))"],
  ],
  ["SELECT a WHERE f(b, c) GROUP BY a", ["SELECT a WHERE true GROUP BY a"]],
  [
    "SELECT a WHERE b BETWEEN 1 AND 2 AND (c OR d)",
    [
      "SELECT a WHERE b BETWEEN 1 AND 2 ",
      "SELECT a WHERE  (c OR d)",
      "SELECT a WHERE b BETWEEN 1 AND 2 AND (c )",
      "SELECT a WHERE b BETWEEN 1 AND 2 AND ( d)",
    ],
  ],
];

test.each(operators)("%s is changed", (sql, changed) => {
  expect(editsOf(sql, false).map((edit) => applyEdit(sql, edit))).toEqual(changed);
});

test("only the SELECT of a view is changed, and nothing of a table", () => {
  const table = "CREATE TABLE a (b UInt8 DEFAULT if(c, 1, 2)) ORDER BY (b, c)";
  expect(editsOf(table, true)).toEqual([]);
  const view = "CREATE VIEW a (b COMMENT 'a') AS\nSELECT min(b) FROM c";
  expect(editsOf(view, true)).toHaveLength(1);
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
