import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./test/support/memory.ts";

keepTemporaryFilesInMemory();

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
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], testTimeout: 300_000 } },
      {
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          pool: "forks",
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "monitoring",
          include: ["test/monitoring/**/*.test.ts"],
          // The first run compiles Prometheus; a drill waits for its alert.
          pool: "forks",
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: "bi",
          include: ["test/bi/**/*.test.ts"],
          // One engine per process; a server in another zone than its users must not shift anything.
          pool: "forks",
          env: { TZ: "America/New_York" },
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "stack",
          include: ["test/stack/**/*.test.ts"],
          globalSetup: ["test/stack/single-run.ts"],
          // One engine, one set of ports; a cold start waits for health.
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "kafka",
          include: ["test/kafka/**/*.test.ts"],
          // The engine allows one data directory per process; two brokers at once starve each other.
          pool: "forks",
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "airflow",
          include: ["test/airflow/**/*.test.ts"],
          // Retries wait, and a killed consumer is taken for alive for most of a minute.
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
