import { describe, it } from "vitest";
import { IS_EXHAUSTIVE } from "./sample.ts";

/** A case that only `make test-long` runs. Its file must be in SAMPLED of vitest.config.ts. */
export function itLong(name: string, run: () => Promise<void>): void {
  if (IS_EXHAUSTIVE) it(name, run);
}

/** Cases that only `make test-long` runs. Their file must be in SAMPLED of vitest.config.ts. */
export function describeLong(name: string, cases: () => void): void {
  if (IS_EXHAUSTIVE) describe(name, cases);
}
