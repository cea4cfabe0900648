/**
 * Runs test levels and ends with `N passed, N failed, N skipped`. Exits with 1 after a failure.
 *
 *   node scripts/test.ts         static checks and the levels that need only npm (make test)
 *   node scripts/test.ts all     the same, then every level whose needs are met (make test-all)
 *   node scripts/test.ts long    kills, soaks, whole replays and every case (make test-long)
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { missingNeeds as airflowNeeds } from "../test/airflow/needs.ts";
import { missingNeeds as biNeeds } from "../test/bi/needs.ts";
import { missingNeeds as clientsNeeds } from "../test/clients/needs.ts";
import { missingNeeds as kafkaNeeds } from "../test/kafka/needs.ts";
import { missingNeeds as monitoringNeeds } from "../test/monitoring/needs.ts";
import { missingNeeds as pageNeeds } from "../test/page/needs.ts";
import { missingNeeds as stackNeeds } from "../test/stack/needs.ts";

interface Level {
  readonly name: string;
  /** Arguments of vitest; default: the project of this name. */
  readonly run?: readonly string[];
  readonly proves: string;
  /** Duration on two idle cores, minutes. */
  readonly minutes: number;
  readonly needs?: () => string[];
}

const QUICK: Level = {
  name: "quick",
  run: ["--project", "unit", "--project", "engine"],
  proves: "the code by units, and every SQL file on the ClickHouse engine",
  minutes: 5,
};

/** The levels beyond `make test`, the longest first, so that the lanes end together. */
const FURTHER: readonly Level[] = [
  { name: "stack", proves: "the Pulumi program on Docker", minutes: 15, needs: stackNeeds },
  { name: "kafka", proves: "generator and readers on a broker", minutes: 8, needs: kafkaNeeds },
  { name: "faults", proves: "damaged, interrupted and competing loads", minutes: 6 },
  { name: "keep", proves: "snapshots, erasure, retention and repair", minutes: 6 },
  { name: "commands", proves: "the command line and the local server", minutes: 6 },
  { name: "airflow", proves: "the DAGs on a real Airflow", minutes: 5, needs: airflowNeeds },
  { name: "monitoring", proves: "rules, queries and drills", minutes: 5, needs: monitoringNeeds },
  { name: "bi", proves: "charts and import on a real Superset", minutes: 4, needs: biNeeds },
  { name: "clients", proves: "clients of ClickHouse", minutes: 1, needs: clientsNeeds },
  { name: "page", proves: "the SQL page in a browser", minutes: 1, needs: pageNeeds },
];

const SQL: Level = { name: "engine", proves: QUICK.proves, minutes: 2 };

/** The long tests of a level, and every case where the level itself tries a sample. */
const longOf = ({ name, needs }: Level): Level => ({
  name: `${name}-long`,
  run: ["--project", "long", `test/${name}/`],
  proves: `every case of ${name}`,
  minutes: 30,
  ...(needs && { needs }),
});

/** Enough for the largest level, a whole stack. */
const BYTES_OF_A_LANE = 7 * 2 ** 30;
const ROOT = join(import.meta.dirname, "..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

const failed = (failure: string): Outcome => ({
  passed: 0,
  failed: 1,
  skipped: 0,
  failures: [failure],
});

interface Ended {
  readonly status: number;
  /** Last line that names an error. */
  readonly error: string;
}

/** Runs a command with prefixed output. */
async function run(name: string, command: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let error = "";
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      if (/error:/i.test(line)) error = stripVTControlCharacters(line).trim();
      console.log(`${name.padEnd(10)} | ${line}`);
    });
  }
  return new Promise((resolve) => {
    child.on("error", ({ message }) => console.log(`${name.padEnd(10)} | error: ${message}`));
    child.on("close", (code) => resolve({ status: code ?? 1, error }));
  });
}

async function runChecks(): Promise<Outcome> {
  const { status } = await run("checks", "npm", ["run", "--silent", "check"]);
  return status === 0
    ? { passed: 1, failed: 0, skipped: 0, failures: [] }
    : failed("static checks: npm run check");
}

async function runLevel(level: Level, report: string): Promise<Outcome> {
  const { name } = level;
  const started = performance.now();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const chosen = level.run ?? ["--project", name];
  const ended = await run(name, process.execPath, [VITEST, "run", ...chosen, ...reporters]);
  const outcome = readOutcome(name, report, ended);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  console.log(`== ${name}: ${counts([outcome])} in ${minutes} min`);
  return outcome;
}

/** Report in Jest's format. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Reads a report. A missing report, or an error outside a test, counts as a failure. */
function readOutcome(level: string, report: string, { status, error }: Ended): Outcome {
  if (!existsSync(report)) return failed(`${level}: no report; the runner ended early`);
  const read = JSON.parse(readFileSync(report, "utf8")) as Report;
  const failures = failuresOf(read).map((failure) => `${level}: ${failure}`);
  if (status !== 0 && failures.length === 0) {
    failures.push(`${level}: failed outside a test: ${error}`);
  }
  return {
    passed: read.numPassedTests,
    failed: status === 0 ? 0 : Math.max(read.numFailedTests, 1),
    skipped: read.numTotalTests - read.numPassedTests - read.numFailedTests,
    failures,
  };
}

const firstLine = (text: string | undefined): string => (text ?? "").split("\n", 1)[0] ?? "";

function failuresOf({ testResults }: Report): string[] {
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(ROOT, name);
      const tests = assertionResults.filter(({ status }) => status === "failed");
      if (tests.length === 0) return [`${file}: ${firstLine(message)}`];
      return tests.map(
        (test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`,
      );
    });
}

function counts(outcomes: readonly Outcome[]): string {
  const sum = (count: "passed" | "failed" | "skipped"): number =>
    outcomes.reduce((total, outcome) => total + outcome[count], 0);
  return `${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`;
}

/** Prints what runs and what is missing. @returns the levels that can run */
function announce(levels: readonly Level[], lanes: number): readonly Level[] {
  if (levels.length === 0) return [];
  const stated = levels.map((level) => ({ level, missing: level.needs?.() ?? [] }));
  const ready = stated.filter(({ missing }) => missing.length === 0).map(({ level }) => level);
  const minutes = Math.ceil(ready.reduce((sum, level) => sum + level.minutes, 0) / lanes);
  console.log(`About ${minutes} minutes on two cores${lanes > 1 ? `, ${lanes} at a time` : ""}:`);
  if (levels.includes(QUICK)) console.log("  checks       types, lint, words and dead code");
  for (const { name, proves } of ready) console.log(`  ${name.padEnd(12)} ${proves}`);
  for (const { level, missing } of stated.filter(({ missing }) => missing.length > 0)) {
    console.log(`  ${level.name.padEnd(12)} skipped. Missing: ${missing.join("; ")}`);
  }
  return ready;
}

/** Runs the levels in lanes; a free lane starts the next level. */
async function runLevels(levels: readonly Level[], lanes: number): Promise<Outcome[]> {
  const reports = mkdtempSync(join(tmpdir(), "levels-"));
  const waiting = [...levels];
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      outcomes.push(await runLevel(next, join(reports, `${next.name}.json`)));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  rmSync(reports, { recursive: true, force: true });
  return outcomes;
}

const choice = process.argv[2] ?? "quick";
if (!["quick", "all", "long"].includes(choice)) {
  throw new Error(`${choice}: must be quick, all or long`);
}
// Variables of `make test` would change the output of make in the tests.
for (const name of ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"]) delete process.env[name];

const lanes = choice === "all" && totalmem() >= 2 * BYTES_OF_A_LANE ? 2 : 1;
const chosen = choice === "long" ? [SQL, ...FURTHER].map(longOf) : choice === "all" ? FURTHER : [];
const outcomes: Outcome[] = [];
if (choice !== "long") announce([QUICK], 1);
const ready = announce(chosen, lanes);
if (choice !== "long") outcomes.push(await runChecks(), ...(await runLevels([QUICK], 1)));
outcomes.push(...(await runLevels(ready, lanes)));
const left = chosen.length - ready.length;
if (left > 0) outcomes.push({ passed: 0, failed: 0, skipped: left, failures: [] });
const failures = outcomes.flatMap((outcome) => outcome.failures);
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((one) => `  ${one}\n`).join("")}`);
console.log(`\n${counts(outcomes)}`);
process.exitCode = failures.length > 0 ? 1 : 0;
