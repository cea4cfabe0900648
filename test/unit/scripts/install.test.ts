import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../../scripts/install.sh");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "install-"));
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "npm"), "#!/bin/sh\necho added 300 packages\n");
  chmodSync(join(folder, "npm"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("an installation prints nothing to stdout, because stdout is the command's result", () => {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const stdout = execFileSync("sh", [SCRIPT], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(String(stdout)).toBe("");
  expect(existsSync(join(folder, "node_modules/.package-lock.json"))).toBe(true);
});
