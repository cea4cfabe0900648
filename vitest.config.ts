import { defineConfig } from "vitest/config";

/**
 * One project per test level (docs/architecture.md). Engine tests fork: the in-process ClickHouse
 * allows one data directory per process.
 */
export default defineConfig({
  test: {
    projects: [
      // Far above what a test takes: machines that do other work meanwhile are slow.
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "stack",
          include: ["test/stack/**/*.test.ts"],
          // One engine, one set of ports; a cold start waits for health.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "kafka",
          include: ["test/kafka/**/*.test.ts"],
          // The engine allows one data directory per process; two brokers at once starve each other.
          pool: "forks",
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
