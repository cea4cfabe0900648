import { defineConfig } from "vitest/config";

/**
 * One project per test level (docs/architecture.md). Engine tests fork: the in-process ClickHouse
 * allows one data directory per process.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      {
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
