/**
 * Runs mutation tests of one area: `npm run mutation -- AREA [FILE...]`. Fails below 85 % killed.
 * Installs StrykerJS (60 MB) into `.state/mutation` and uses the project's vitest. Reuses
 * results of unchanged code and tests. Report: `.state/mutation/AREA.html`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { areas } from "./areas.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOME = join(ROOT, ".state/mutation");
const VERSION = "10.1.1";
const PACKAGES = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${VERSION}`);
const MIN_PERCENT = 85;

function install(): void {
  if (existsSync(join(HOME, "node_modules/@stryker-mutator/vitest-runner"))) return;
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, "package.json"), JSON.stringify({ private: true }));
  // --legacy-peer-deps, because the runner must use the project's vitest.
  const options = ["--save-exact", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, ...PACKAGES], { cwd: HOME, stdio: "inherit" });
}

const optionsOf = (area: string, mutate: readonly string[]) => ({
  mutate,
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner", join(import.meta.dirname, "texts.ts")],
  ignorers: ["texts"],
  vitest: { configFile: "bench/mutation/vitest.config.ts", related: false },
  ignorePatterns: [".state", "test-results"],
  disableTypeChecks: false,
  tempDirName: ".state/mutation/tmp",
  incremental: true,
  incrementalFile: join(HOME, `${area}.incremental.json`),
  reporters: ["progress-append-only", "clear-text", "json", "html"],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  jsonReporter: { fileName: join(HOME, `${area}.json`) },
  htmlReporter: { fileName: join(HOME, `${area}.html`) },
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
  // Time beyond 1.5 × the previous duration, for machines with other load.
  timeoutMS: 20_000,
  thresholds: { high: 95, low: MIN_PERCENT, break: MIN_PERCENT },
});

function run([name = "", ...files]: readonly string[]): void {
  const area = areas[name];
  if (!area) {
    console.error(
      `error: ${name ? `area ${name} is unknown` : "no area is given"}. Allowed: ${Object.keys(areas).join(", ")}`,
    );
    console.error("  hint: run npm run mutation -- kafka");
    process.exit(2);
  }
  install();
  const config = join(HOME, `${name}.config.json`);
  const mutate = files.length > 0 ? files : area.mutate;
  writeFileSync(config, JSON.stringify(optionsOf(name, mutate), null, 2));
  const stryker = join(HOME, "node_modules/@stryker-mutator/core/bin/stryker.js");
  execFileSync(process.execPath, [stryker, "run", config], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, MUTATION_TESTS: area.tests.join(" ") },
  });
}

run(process.argv.slice(2));
