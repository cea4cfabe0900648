import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  merge,
  outcomeWithout,
  readOutcome,
  summary,
  timedOutFiles,
} from "../../../scripts/level-outcome.ts";

const ROOT = "/checkout";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "outcome-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Tests = Readonly<Record<string, string>>;

/** A test file's report with these tests. */
function fileOf(name: string, tests: Tests, message = "", reason = "Error: no") {
  const failed = Object.values(tests).includes("failed") || message !== "";
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: status === "failed" ? [`${reason}\n at line 3`] : [],
  }));
  return {
    name: `${ROOT}/test/${name}`,
    status: failed ? "failed" : "passed",
    message,
    assertionResults,
  };
}

function write(...testResults: readonly object[]): string {
  const file = join(folder, "report.json");
  writeFileSync(file, JSON.stringify({ testResults }));
  return file;
}

/** A vitest report with these tests in one file. */
const report = (tests: Tests, message = ""): string => write(fileOf("a.test.ts", tests, message));

test("a level that passed", () => {
  const outcome = readOutcome(ROOT, "unit", report({ one: "passed", two: "pending" }), 0);
  expect(outcome).toEqual({ passed: 1, failed: 0, skipped: 1, failures: [] });
});

test("a failed test is named with its file and the first line of its reason", () => {
  const outcome = readOutcome(ROOT, "unit", report({ one: "passed", "a > two": "failed" }), 1);
  expect(outcome).toMatchObject({
    failed: 1,
    failures: ["unit: test/a.test.ts > a > two: Error: no"],
  });
});

test("a file that fails before its tests counts as a failure", () => {
  const outcome = readOutcome(ROOT, "unit", report({}, "Cannot find module\nsomewhere"), 1);
  expect(outcome).toMatchObject({
    failed: 1,
    failures: ["unit: test/a.test.ts: Cannot find module"],
  });
});

test("a runner that fails without a failed test, or without a report, counts as a failure", () => {
  const unhandled = readOutcome(ROOT, "unit", report({ one: "passed" }), 1);
  expect(unhandled).toMatchObject({ failed: 1, failures: ["unit: failed outside a test"] });
  const died = readOutcome(ROOT, "unit", join(folder, "none.json"), 1);
  expect(died).toMatchObject({ failed: 1, failures: ["unit: no report; the runner ended early"] });
});

test("the end of a run names the failures, then counts", () => {
  const passed = { passed: 2, failed: 0, skipped: 1, failures: [] };
  expect(summary([passed])).toBe("\n2 passed, 0 failed, 1 skipped");
  const failed = { passed: 1, failed: 1, skipped: 0, failures: ["unit: a > b: no"] };
  expect(summary([passed, failed])).toBe(
    "\nFailed:\n  unit: a > b: no\n\n3 passed, 1 failed, 1 skipped",
  );
});

const LATE = "Error: Not within 300 ms: it is healthy";
const PAGE = "TimeoutError: page.waitForSelector: Timeout 300000ms exceeded.";

test("only files whose failures are time-outs run again", () => {
  const late = fileOf("late.test.ts", { one: "passed", two: "failed" }, "", LATE);
  const good = fileOf("good.test.ts", { one: "passed" });
  const hook = fileOf("hook.test.ts", {}, "Error: Hook timed out in 9000ms.\nmore");
  const name = (file: string): string => `${ROOT}/test/${file}`;
  expect(timedOutFiles(write(late, good, hook))).toEqual([
    name("late.test.ts"),
    name("hook.test.ts"),
  ]);
  expect(timedOutFiles(write(late, fileOf("bad.test.ts", { one: "failed" })))).toEqual([]);
  expect(timedOutFiles(join(folder, "none.json"))).toEqual([]);
});

test("checks every reason of a test with several errors, including time-outs of drills and runs", () => {
  const DRILL = "UserError: BrokerDown did not become firing within 280 s; it is pending.";
  const RUN = "UserError: etl_pipeline is still running after 480 s; the run manual continues";
  const two = (...failureMessages: string[]) => ({
    ...fileOf("drills.test.ts", {}, "failed"),
    assertionResults: [{ fullName: "drill", status: "failed", failureMessages }],
  });
  expect(timedOutFiles(write(two(DRILL, RUN, LATE, PAGE)))).toHaveLength(1);
  expect(timedOutFiles(write(two(DRILL, "Error: wrong")))).toEqual([]);
});

describe("after a second run", () => {
  const late = fileOf("late.test.ts", { one: "passed", two: "failed" }, "", LATE);
  const both = (): string => write(late, fileOf("good.test.ts", { one: "passed", two: "pending" }));
  const merged = (second: Parameters<typeof merge>[2]) => {
    const report = both();
    const first = readOutcome(ROOT, "stack", report, 1);
    return merge(first, outcomeWithout(timedOutFiles(report), report), second);
  };
  const named = `stack: test/late.test.ts > two: ${LATE}`;

  test("what then passed counts as passed and stays named", () => {
    const outcome = merged({ passed: 2, failed: 0, skipped: 0, failures: [] });
    expect(summary([outcome])).toBe(
      `\nFailed in the first run only:\n  ${named}\n\n3 passed, 0 failed, 1 skipped`,
    );
  });

  test("a different failure does not replace the first one", () => {
    const failures = ["stack: test/late.test.ts > one: Error: wrong"];
    const outcome = merged({ passed: 1, failed: 1, skipped: 0, failures });
    expect(outcome).toMatchObject({ passed: 2, failed: 1, failures, unsteady: [named] });
  });

  test("a repeated failure is reported once", () => {
    const outcome = merged({ passed: 1, failed: 1, skipped: 0, failures: [named] });
    expect(outcome).toMatchObject({ failed: 1, failures: [named], unsteady: [] });
  });

  test("a second run that crashes leaves the first result", () => {
    const died = readOutcome(ROOT, "stack", join(folder, "none.json"), 1);
    const failures = [named, "stack: no report; the runner ended early"];
    expect(merged(died)).toMatchObject({ passed: 2, failed: 1, skipped: 1, failures });
  });
});
