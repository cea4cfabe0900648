import { join } from "node:path";
import { expect } from "vitest";
import type { Recorded } from "./record.ts";

/**
 * Compares with the committed file; `vitest -u` writes it, so that a change of the stack is
 * reviewed as a diff.
 */
export const expectGolden = (name: string, resources: readonly Recorded[]): Promise<void> =>
  expect(`${JSON.stringify(resources, null, 2)}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, "../../golden", `stack-${name}.json`),
  );
