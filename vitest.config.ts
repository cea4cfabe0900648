import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./test/support/memory.ts";

keepTemporaryFilesInMemory();

/** Files that take minutes each: drills, and replays of many states. Only `LONG=1` runs them, and nothing else. */
const LONG = [
  "test/engine/cli/how-to.test.ts",
  "test/engine/cli/lab.test.ts",
  "test/engine/kill-and-resume.test.ts",
  "test/engine/scenarios.test.ts",
  "test/engine/sabotage/cuts.test.ts",
  "test/engine/sabotage/legitimate.test.ts",
  "test/engine/soak-lease.test.ts",
  "test/engine/truth/coverage.test.ts",
  "test/kafka/ingest-kills.test.ts",
  "test/kafka/kills.test.ts",
  "test/kafka/restore-order.test.ts",
  "test/kafka/soak.test.ts",
  "test/kafka/three-brokers.test.ts",
  "test/stack/scheduler.test.ts",
];

const filesOf = (level: string) =>
  process.env.LONG === "1"
    ? { include: LONG.filter((file) => file.startsWith(`test/${level}/`)) }
    : { include: [`test/${level}/**/*.test.ts`], exclude: LONG };

/**
 * One project per test level (CONTRIBUTING.md). Engine tests fork: the in-process ClickHouse
 * allows one data directory per process.
 */
export default defineConfig({
  test: {
    maxWorkers: "100%",
    tags: [
      {
        name: "slow",
        description: "Kills, damages or replays many states, or starts many processes",
      },
    ],
    projects: [
      // Far above the duration of any test, because busy machines are slow.
      { test: { name: "unit", ...filesOf("unit"), testTimeout: 300_000 } },
      {
        test: {
          name: "engine",
          ...filesOf("engine"),
          pool: "forks",
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: "monitoring",
          ...filesOf("monitoring"),
          // The first run compiles Prometheus; a drill waits for its alert.
          pool: "forks",
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: "bi",
          ...filesOf("bi"),
          // One engine per process; a server in another zone than its users must not shift anything.
          pool: "forks",
          env: { TZ: "America/New_York" },
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: "stack",
          ...filesOf("stack"),
          globalSetup: ["test/stack/single-run.ts"],
          setupFiles: ["test/stack/leftovers.ts"],
          // One engine, one set of ports; a cold start waits for health.
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: "kafka",
          ...filesOf("kafka"),
          // The engine allows one data directory per process; two brokers at once starve each other.
          pool: "forks",
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          name: "airflow",
          ...filesOf("airflow"),
          // Retries wait, and a killed consumer is taken for alive for most of a minute.
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
    ],
  },
});
