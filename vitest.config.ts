import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./test/support/memory.ts";

keepTemporaryFilesInMemory();

/** Kills, soaks and whole replays, which `make test-long` runs. */
const LONG = "test/**/*.long.test.ts";

/** Levels that try a sample of their cases, and every case in `make test-long`. */
const SAMPLED = "test/{engine,faults,keep,kafka,monitoring,airflow,bi}/**/*.test.ts";

/** A level that runs its files one after another, because they share a service or its ports. */
const oneByOne = { fileParallelism: false, testTimeout: 1_800_000, hookTimeout: 1_800_000 };

const filesOf = (level: string) => ({
  name: level,
  include: [`test/${level}/**/*.test.ts`],
  exclude: [LONG],
});

/** One project per test level (CONTRIBUTING.md). Time limits are far above any duration, because busy machines are slow. */
export default defineConfig({
  test: {
    maxWorkers: "100%",
    // A filter by name skips most tests, which nobody wants listed.
    hideSkippedTests: process.argv.some((argument) => /^(-t|--testNamePattern)/.test(argument)),
    pool: "forks",
    projects: [
      { test: { ...filesOf("unit"), testTimeout: 300_000 } },
      { test: { ...filesOf("engine"), testTimeout: 1_800_000, hookTimeout: 1_800_000 } },
      { test: { ...filesOf("faults"), testTimeout: 1_800_000, hookTimeout: 1_800_000 } },
      { test: { ...filesOf("keep"), testTimeout: 1_800_000, hookTimeout: 1_800_000 } },
      { test: { ...filesOf("commands"), testTimeout: 1_800_000, hookTimeout: 1_800_000 } },
      { test: { ...filesOf("kafka"), ...oneByOne, globalSetup: ["test/kafka/setup.ts"] } },
      // Its files mostly wait, and share no port.
      { test: { ...filesOf("monitoring"), ...oneByOne, fileParallelism: true } },
      { test: { ...filesOf("airflow"), ...oneByOne } },
      { test: { ...filesOf("bi"), ...oneByOne } },
      { test: { ...filesOf("page"), ...oneByOne } },
      { test: { ...filesOf("clients"), ...oneByOne } },
      { test: { ...filesOf("stack"), ...oneByOne, globalSetup: ["test/stack/single-run.ts"] } },
      {
        test: {
          name: "long",
          include: [LONG, SAMPLED],
          ...oneByOne,
          env: { EXHAUSTIVE: "1" },
          globalSetup: ["test/stack/single-run.ts", "test/kafka/setup.ts"],
        },
      },
    ],
  },
});
