/**
 * Runs every test level whose needs are met, says which were skipped and why, and ends with one
 * line `N passed, N failed, N skipped`. Exits non-zero if anything failed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEVELS, type Level } from "./levels.ts";

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const ROOT = join(import.meta.dirname, "..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const reports = mkdtempSync(join(tmpdir(), "levels-"));

function runChecks(): Outcome {
  console.log("\n== static checks: types, lint, dead code");
  const { status } = spawnSync("npm", ["run", "--silent", "check"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

async function runLevel(level: Level): Promise<Outcome> {
  const missing = level.needs ? (await level.needs()).missingNeeds() : [];
  if (missing.length > 0) {
    console.log(`\n== ${level.name}: skipped, needs ${missing.join("; ")}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  console.log(`\n== ${level.name}: ${level.proves}`);
  const report = join(reports, `${level.name}.json`);
  const args = ["run", "--project", level.name, "--reporter=default", "--reporter=json"];
  // This very Node, not the machine's: the runner's own first line would ask PATH for one.
  const { status } = spawnSync(process.execPath, [VITEST, ...args, `--outputFile.json=${report}`], {
    cwd: ROOT,
    stdio: "inherit",
  });
  return readOutcome(report, status);
}

/** A runner that died without a report, or failed outside a test, counts as a failure. */
function readOutcome(report: string, status: number | null): Outcome {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const json = JSON.parse(readFileSync(report, "utf8")) as Record<string, number>;
  const failed = json.numFailedTests ?? 0;
  return {
    passed: json.numPassedTests ?? 0,
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: (json.numPendingTests ?? 0) + (json.numTodoTests ?? 0),
  };
}

const outcomes = [runChecks()];
for (const level of LEVELS) outcomes.push(await runLevel(level));
rmSync(reports, { recursive: true, force: true });

const sum = (pick: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + pick(outcome), 0);
const failed = sum((outcome) => outcome.failed);
console.log(`\n${sum((o) => o.passed)} passed, ${failed} failed, ${sum((o) => o.skipped)} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
