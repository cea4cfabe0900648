import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHECKOUT = join(import.meta.dirname, "../..");

/** Copies the project, with uncommitted files, so that a test covers them. @returns the folder */
export function copyProject(prefix: string): string {
  const copy = mkdtempSync(join(tmpdir(), prefix));
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = spawnSync("git", list, { cwd: CHECKOUT, encoding: "utf8" });
  for (const path of stdout.split("\0")) {
    if (path !== "" && existsSync(join(CHECKOUT, path))) {
      // A package.json newer than the installed packages would make `make` install them again.
      cpSync(join(CHECKOUT, path), join(copy, path), { preserveTimestamps: true });
    }
  }
  symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
  return copy;
}
