/**
 * Applies every mutation of scripts/sql-mutations.yaml, one at a time, to a copy of the project and
 * runs the tests. Order of the tests: expected rows of the file, all expected rows, FURTHER. Prints
 * each outcome and the score. A timeout is retried alone; a second one is no kill.
 * node scripts/mutate-sql.ts [PART_OF_A_PATH]     only these files
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  applyMutation,
  type Mutation,
  type Outcome,
  outcomeFrom,
  readMutations,
  type TestReport,
} from "./sql-mutations.ts";

const ROOT = join(import.meta.dirname, "..");
const EXPECTED_ROWS = "test/engine/expected-rows.test.ts";
/** Tests of behaviour beyond the expected rows of one file. */
const FURTHER = [
  "test/engine/reconciliation.test.ts",
  "test/engine/gate.test.ts",
  "test/engine/incremental.test.ts",
  "test/engine/pipeline-metrics.test.ts",
  "test/engine/bad-input.test.ts",
  "test/faults/lease.test.ts",
  "test/faults/uncommitted-loads.test.ts",
];
const REQUIRED_SHARE = 0.95;

interface Line extends Mutation {
  outcome: Outcome;
}

/** Rounds of tests; each round runs the mutations that survived the previous one. */
const ROUNDS: readonly {
  readonly files: readonly string[];
  readonly name?: (mutation: Mutation) => string;
}[] = [
  { files: [EXPECTED_ROWS], name: ({ file }) => `sql/${file}` },
  { files: [EXPECTED_ROWS] },
  { files: FURTHER },
];

const copy = mkdtempSync(join(tmpdir(), "mutate-sql-"));
try {
  copyProject();
  process.exitCode = run(process.argv[2]);
} finally {
  rmSync(copy, { recursive: true });
}

function run(part: string | undefined): number {
  const started = performance.now();
  const lines = readMutations()
    .filter(({ file }) => file.includes(part ?? ""))
    .map((mutation): Line => ({ ...mutation, outcome: "survived" }));
  for (const [index, { files, name }] of ROUNDS.entries()) {
    const left = lines.filter(({ outcome }) => outcome === "survived");
    // Tests that fail without a mutation would kill every mutation.
    if (left.length > 0 && (index === 0 || files === FURTHER)) requirePassing(files);
    for (const line of left) {
      line.outcome = tryOut(line, files, name?.(line));
      if (line.outcome === "timed out") {
        console.log(`timed out, retrying: ${line.file}: ${line.breaks}`);
        line.outcome = tryOut(line, files, name?.(line), ["--no-file-parallelism"]);
      }
      console.log(`${line.outcome}: ${line.file}: ${line.breaks}`);
    }
  }
  const { killed, text } = scoreOf(lines, (performance.now() - started) / 60_000);
  console.log(text);
  return killed / lines.length >= REQUIRED_SHARE ? 0 : 1;
}

function scoreOf(lines: readonly Line[], minutes: number) {
  const killed = lines.filter(({ outcome }) => outcome === "killed").length;
  const percent = ((100 * killed) / lines.length).toFixed(1);
  return {
    killed,
    text: `${killed} of ${lines.length} killed (${percent} %) in ${minutes.toFixed(0)} minutes`,
  };
}

function requirePassing(files: readonly string[]): void {
  if (outcomeOf(files) === "survived") return;
  throw new Error(`These tests fail without a mutation: ${files.join(" ")}`);
}

function tryOut(
  mutation: Mutation,
  files: readonly string[],
  name?: string,
  more: readonly string[] = [],
): Outcome {
  const path = join(copy, "sql", mutation.file);
  const original = readFileSync(path, "utf8");
  writeFileSync(path, applyMutation(original, mutation));
  try {
    return outcomeOf(files, name, more);
  } finally {
    writeFileSync(path, original);
  }
}

function outcomeOf(files: readonly string[], name?: string, more: readonly string[] = []): Outcome {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const filter = name === undefined ? [] : ["-t", name];
  spawnSync(
    process.execPath,
    [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      ...[
        "run",
        "--project",
        "engine",
        "--project",
        "faults",
        "--bail",
        "1",
        "--reporter=json",
        `--outputFile=${report}`,
      ],
      ...filter,
      ...more,
      ...files,
    ],
    { cwd: copy, encoding: "utf8" },
  );
  return outcomeFrom(JSON.parse(readFileSync(report, "utf8")) as TestReport);
}

function copyProject(): void {
  const { stdout } = spawnSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 64 * 1024 ** 2,
    },
  );
  for (const file of stdout.split("\0").filter((path) => path !== "")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
}
