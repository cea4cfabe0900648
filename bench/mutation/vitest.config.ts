import { defineConfig } from "vitest/config";

/** The tests of one area, for `bench/mutation/run.ts`. */
export default defineConfig({
  test: { include: (process.env.MUTATION_TESTS ?? "").split(" "), testTimeout: 60_000 },
});
