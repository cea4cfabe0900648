import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";

/**
 * Gives each test of a file an empty state folder, which is removed at its end.
 * @returns its path
 */
export function ownState(): () => string {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "state-"));
    vi.stubEnv("EVENT_PIPELINE_STATE", folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => folder;
}
