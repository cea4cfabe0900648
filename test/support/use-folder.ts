import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/**
 * Returns a temporary folder, which exists during the tests of the file or suite. It does not exist
 * at import, because nothing would remove it where a filter skips all tests.
 */
export function useFolder(name: string): string {
  const folder = join(tmpdir(), `${name}-${randomBytes(4).toString("hex")}`);
  beforeAll(() => {
    mkdirSync(folder, { mode: 0o700 });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a temporary folder for one test, which removes it at its end. */
export function folderOfTest(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
