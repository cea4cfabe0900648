/**
 * Changes the SQL in one place at a time, in a copy of the project, and compares the expected rows
 * of the file (try-mutations.ts). FURTHER=1 also tries files without expected rows, and runs tests
 * of the folder, a minute or more for each change.
 * node scripts/mutate-sql.ts [PART_OF_A_PATH]     only these files
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyProject } from "../test/support/copy-project.ts";

const copy = copyProject("mutate-sql-");
try {
  const program = [join(copy, "scripts/try-mutations.ts"), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, program, { cwd: copy, stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(copy, { recursive: true });
}
