import { join } from "node:path";
import { expect } from "vitest";
import type { RecordedResource } from "./record.ts";

/**
 * Compares with the committed file, so that a change of the stack is reviewed as a diff.
 * `vitest -u` writes the file.
 */
export const expectGolden = (name: string, resources: readonly RecordedResource[]): Promise<void> =>
  expect(`${JSON.stringify(resources, null, 2)}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, "../../golden", `stack-${name}.json`),
  );
