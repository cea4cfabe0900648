/**
 * Runs every test level whose requirements are met and prints `N passed, N failed, N skipped`. Exits
 * with 1 after a failure. Runs up to three levels at once, because most levels mainly wait;
 * `TEST_LANES=1` runs one after another.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  failed,
  merge,
  type Outcome,
  outcomeWithout,
  readOutcome,
  summary,
  timedOutFiles,
} from "./level-outcome.ts";
import { LEVELS, type Level } from "./levels.ts";

const ROOT = join(import.meta.dirname, "..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
/** Enough for the largest level, a whole stack. */
const MEMORY_OF_A_LANE = 7 * 2 ** 30;
const MAX_LANES = 3;
const reports = mkdtempSync(join(tmpdir(), "levels-"));

/** Runs a command with prefixed output. @returns the exit code */
async function run(name: string, command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => console.log(`${name.padEnd(10)} | ${line}`));
  }
  return new Promise((resolve) => {
    child.on("error", ({ message }) => console.log(`${name.padEnd(10)} | error: ${message}`));
    child.on("close", (code) => resolve(code ?? 1));
  });
}

async function runChecks(): Promise<Outcome> {
  console.log("\n== static checks: types, lint, dead code");
  return (await run("checks", "npm", ["run", "--silent", "check"])) === 0
    ? { passed: 1, failed: 0, skipped: 0, failures: [] }
    : failed("static checks: npm run check");
}

async function runFiles(level: Level, report: string, files: readonly string[]): Promise<Outcome> {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  // Uses the current Node instead of the one on PATH.
  const command = [VITEST, "run", "--project", level.name, ...reporters, ...files];
  const status = await run(level.name, process.execPath, command);
  return readOutcome(ROOT, level.name, report, status);
}

async function runTwice(level: Level): Promise<Outcome> {
  const report = join(reports, `${level.name}.json`);
  const first = await runFiles(level, report, []);
  const files = level.secondRun ? timedOutFiles(report) : [];
  if (files.length === 0) return first;
  console.log(`\n== ${level.name}: retrying after timeouts:\n   ${first.failures.join("\n   ")}`);
  const second = await runFiles(level, `${report}.second`, files);
  return merge(first, outcomeWithout(files, report), second);
}

async function runLevel(level: Level): Promise<Outcome> {
  const missing = level.needs ? (await level.needs()).missingNeeds() : [];
  if (missing.length > 0) {
    console.log(`\n== ${level.name}: skipped. Missing: ${missing.join("; ")}`);
    return { passed: 0, failed: 0, skipped: 1, failures: [] };
  }
  console.log(`\n== ${level.name}: ${level.proves}`);
  const started = performance.now();
  const outcome = await runTwice(level);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  console.log(`== ${level.name}: ${summary([outcome]).trim().split("\n").at(-1)} (${minutes} min)`);
  return outcome;
}

/** Counts a level that cannot start as one failure, so that other levels still run. */
const failureOf = (level: Level) => (error: unknown) =>
  failed(`${level.name}: ${error instanceof Error ? error.message : String(error)}`);

function lanesOf(): number {
  const asked = Number(process.env.TEST_LANES);
  if (asked >= 1) return Math.min(Math.floor(asked), LEVELS.length);
  if (availableParallelism() < 2) return 1;
  return Math.max(1, Math.min(Math.floor(totalmem() / MEMORY_OF_A_LANE), MAX_LANES));
}

/** Runs the levels in lanes; a free lane starts the next level. */
async function runLevels(lanes: number): Promise<Outcome[]> {
  const waiting = [...LEVELS];
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      outcomes.push(await runLevel(next).catch(failureOf(next)));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return outcomes;
}

// Variables of `make test` would change the output of make in the tests.
for (const name of ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"]) delete process.env[name];

const outcomes = [await runChecks(), ...(await runLevels(lanesOf()))];
rmSync(reports, { recursive: true, force: true });
console.log(summary(outcomes));
process.exitCode = outcomes.some((outcome) => outcome.failed > 0) ? 1 : 0;
