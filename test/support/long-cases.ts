import { describe, it } from "vitest";
import { IS_EXHAUSTIVE } from "./sample.ts";

/** A case that only `make test-long` runs. */
export function itLong(name: string, run: () => Promise<void>): void {
  if (IS_EXHAUSTIVE) it(name, run);
}

/** Cases that only `make test-long` runs. */
export function describeLong(name: string, cases: () => void): void {
  if (IS_EXHAUSTIVE) describe(name, cases);
}
