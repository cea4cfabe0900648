import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, symlinkSync, utimesSync } from "node:fs";
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
      cpSync(join(CHECKOUT, path), join(copy, path));
    }
  }
  // Newer than the installed packages, these files would make `make` delete and install the checkout's.
  for (const file of ["package.json", "package-lock.json"]) utimesSync(join(copy, file), 0, 0);
  symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
  return copy;
}
