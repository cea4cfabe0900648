import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Failures, one line each, for the end of the output. */
  readonly failures: readonly string[];
  /** Failures of the first run that passed in the second, one line each. */
  readonly unsteady?: readonly string[];
}

/** Report in Jest's format. */
interface Report {
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly Test[];
}

interface Test {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

export const failed = (failure: string): Outcome => ({
  passed: 0,
  failed: 1,
  skipped: 0,
  failures: [failure],
});

const read = (report: string): Report => JSON.parse(readFileSync(report, "utf8"));

/** Reads a report. A missing report, or an error outside a test, counts as a failure. */
export function readOutcome(root: string, level: string, report: string, status: number): Outcome {
  if (!existsSync(report)) return failed(`${level}: no report; the runner ended early`);
  const { testResults } = read(report);
  const failures = failuresOf(root, testResults).map((failure) => `${level}: ${failure}`);
  const counts = count(testResults);
  const died = counts.failed === 0 && status !== 0;
  return {
    ...counts,
    failed: died ? 1 : counts.failed,
    failures: died && failures.length === 0 ? [`${level}: failed outside a test`] : failures,
  };
}

/** Pattern of timeouts: of tests, vitest, the browser, drills, and DAG runs. */
const RAN_OUT =
  /Not within \d+ ms|(Test|Hook) timed out in|Matcher did not succeed in|Timeout \d+ms exceeded|did not become .* within \d+ s;|is still \w+ after \d+ s/;

/** Returns files that failed only by timeouts; none if a test failed for another reason. */
export function timedOutFiles(report: string): readonly string[] {
  if (!existsSync(report)) return [];
  const files = read(report).testResults.filter(({ status }) => status === "failed");
  return files.every((file) => reasonsOf(file).every((reason) => RAN_OUT.test(reason)))
    ? files.map(({ name }) => name)
    : [];
}

/** Merges two runs. @param kept outcome of the other files in the first run */
export function merge(first: Outcome, kept: Outcome, second: Outcome): Outcome {
  const isRun = second.passed + second.skipped > 0;
  if (!isRun) return { ...first, failures: [...first.failures, ...second.failures] };
  return {
    passed: kept.passed + second.passed,
    failed: second.failed,
    skipped: kept.skipped + second.skipped,
    failures: second.failures,
    unsteady: first.failures.filter((failure) => !second.failures.includes(failure)),
  };
}

export function outcomeWithout(files: readonly string[], report: string): Outcome {
  const others = read(report).testResults.filter(({ name }) => !files.includes(name));
  return { ...count(others), failures: [] };
}

function count(files: readonly TestFile[]): Pick<Outcome, "passed" | "failed" | "skipped"> {
  const states = files.flatMap(({ assertionResults }) => assertionResults.map((one) => one.status));
  const passed = states.filter((state) => state === "passed").length;
  const failed = states.filter((state) => state === "failed").length;
  return { passed, failed, skipped: states.length - passed - failed };
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

const failedTests = (file: TestFile) =>
  file.assertionResults.filter((test) => test.status === "failed");

const reasonsOf = (file: TestFile): string[] => {
  const reasons = failedTests(file).flatMap((test) => test.failureMessages?.map(firstLine) ?? [""]);
  return reasons.length > 0 ? reasons : [firstLine(file.message)];
};

const firstReason = (test: Test): string => firstLine(test.failureMessages?.[0] ?? "");

const failuresOf = (root: string, files: readonly TestFile[]): string[] =>
  files
    .filter(({ status }) => status === "failed")
    .flatMap((file) => {
      const name = relative(root, file.name);
      const tests = failedTests(file);
      return tests.length > 0
        ? tests.map((test) => `${name} > ${test.fullName}: ${firstReason(test)}`)
        : [`${name}: ${firstLine(file.message)}`];
    });

const list = (title: string, lines: readonly string[]): string =>
  lines.length > 0 ? `\n${title}:\n${lines.map((line) => `  ${line}\n`).join("")}` : "";

export function summary(outcomes: readonly Outcome[]): string {
  const sum = (count: "passed" | "failed" | "skipped"): number =>
    outcomes.reduce((total, outcome) => total + outcome[count], 0);
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const unsteady = outcomes.flatMap((outcome) => outcome.unsteady ?? []);
  const named = list("Failed", failures) + list("Failed in the first run only", unsteady);
  return `${named}\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`;
}
