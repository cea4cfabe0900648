import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { folderOfTest } from "../../support/use-folder.ts";

const SCRIPT = join(import.meta.dirname, "../../../scripts/install.sh");

let folder: string;
beforeEach(() => {
  folder = folderOfTest("install");
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "npm"), "#!/bin/sh\necho added 300 packages\n");
  chmodSync(join(folder, "npm"), 0o755);
});

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
