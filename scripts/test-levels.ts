/**
 * Runs every test level whose needs are met and ends with `N passed, N failed, N skipped`. Exits
 * non-zero if anything failed. Two levels run at once, because most wait longer than they compute;
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
/** The two largest levels: a whole stack beside a broker and an engine. */
const MEMORY_FOR_TWO = 14 * 2 ** 30;
const reports = mkdtempSync(join(tmpdir(), "levels-"));

/** @returns the exit code */
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
  // The current Node, not the first one on PATH.
  const command = [VITEST, "run", "--project", level.name, ...reporters, ...files];
  const status = await run(level.name, process.execPath, command);
  return readOutcome(ROOT, level.name, report, status);
}

async function runTwice(level: Level): Promise<Outcome> {
  const report = join(reports, `${level.name}.json`);
  const first = await runFiles(level, report, []);
  const files = level.secondRun ? timedOutFiles(report) : [];
  if (files.length === 0) return first;
  console.log(`\n== ${level.name}: retrying after time-outs:\n   ${first.failures.join("\n   ")}`);
  const second = await runFiles(level, `${report}.second`, files);
  return merge(first, outcomeWithout(files, report), second);
}

async function runLevel(level: Level): Promise<Outcome> {
  const missing = level.needs ? (await level.needs()).missingNeeds() : [];
  if (missing.length > 0) {
    console.log(`\n== ${level.name}: skipped, needs ${missing.join("; ")}`);
    return { passed: 0, failed: 0, skipped: 1, failures: [] };
  }
  console.log(`\n== ${level.name}: ${level.proves}`);
  const started = performance.now();
  const outcome = await runTwice(level);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  console.log(`== ${level.name}: ${summary([outcome]).trim().split("\n").at(-1)} (${minutes} min)`);
  return outcome;
}

/** A level that cannot start is one failure and does not stop the others. */
const failureOf = (level: Level) => (error: unknown) =>
  failed(`${level.name}: ${error instanceof Error ? error.message : String(error)}`);

function lanesOf(): number {
  const asked = Number(process.env.TEST_LANES);
  if (asked >= 1) return Math.min(Math.floor(asked), LEVELS.length);
  return availableParallelism() >= 2 && totalmem() >= MEMORY_FOR_TWO ? 2 : 1;
}

/** Each lane takes the next level after its previous one. */
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

// Variables of `make test` would change what a make inside the tests prints.
for (const name of ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"]) delete process.env[name];

const lanes = lanesOf();
// Levels judge times only if they run alone.
process.env.TEST_LANES = String(lanes);

const outcomes = [await runChecks(), ...(await runLevels(lanes))];
rmSync(reports, { recursive: true, force: true });
console.log(summary(outcomes));
process.exitCode = outcomes.some((outcome) => outcome.failed > 0) ? 1 : 0;
