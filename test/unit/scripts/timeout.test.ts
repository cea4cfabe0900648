import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../../scripts/timeout.ts");
const within = (...args: string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], { encoding: "utf8" });

test.each([
  ["60", ["sh", "-c", "echo done"], 0, "done\n", ""],
  ["60", ["sh", "-c", "echo no >&2; exit 3"], 3, "", "no\n"],
  ["0.3", ["sleep", "30"], 124, "", "error: sleep 30 took longer than 0.3 s\n"],
  ["60", ["no-such-program"], 1, "", "error: spawnSync no-such-program ENOENT\n"],
])("within %s s: %j", (seconds, command, code, stdout, stderr) => {
  const run = within(seconds, ...command);
  expect({ code: run.status, stdout: run.stdout, stderr: run.stderr }).toEqual({
    code,
    stdout,
    stderr,
  });
});
