/**
 * Changes the SQL in one place at a time, in a copy of the project, and compares the expected rows
 * of the file (try-mutations.ts). FURTHER=1 also tries files without expected rows, and runs tests
 * of the folder, a minute or more for each change.
 * node scripts/mutate-sql.ts [PART_OF_A_PATH]     only these files
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

const copy = mkdtempSync(join(tmpdir(), "mutate-sql-"));
try {
  copyProject();
  const program = [join(copy, "scripts/try-mutations.ts"), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, program, { cwd: copy, stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(copy, { recursive: true });
}

function copyProject(): void {
  const { stdout } = spawnSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 ** 2 },
  );
  for (const file of stdout.split("\0").filter((path) => path !== "")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
}
