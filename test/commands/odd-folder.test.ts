import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cleanEnvironment } from "../support/cli.ts";
import { copyProject } from "../support/copy-project.ts";

const clone = copyProject(`my 'clone' ü "q" $x `);
afterAll(() => rmSync(clone, { recursive: true }));

function shell(command: string): { readonly output: string; readonly status: number | null } {
  const env = { ...cleanEnvironment(), EVENT_PIPELINE_STATE: undefined };
  const { stdout, stderr, status } = spawnSync("sh", ["-c", command], {
    cwd: clone,
    env,
    encoding: "utf8",
  });
  return { output: stdout + stderr, status };
}

test("a checkout works in a folder with spaces, quotes and other letters", () => {
  expect(shell("make help").output).toContain("Run the whole pipeline without Docker");
  expect(shell("make demo DAYS=1 RATE=1").output).toContain("./pipeline serve");
  expect(shell("./pipeline prove")).toMatchObject({
    output: expect.stringContaining("Every message is accounted for"),
    status: 0,
  });
});

test("a printed hint works for a file whose name has spaces and quotes", () => {
  writeFileSync(join(clone, "an 'event' file.csv"), "user,at\n1,2026-01-01 10:00:00\n");
  const { output } = shell(`./pipeline import "an 'event' file.csv"`);
  const [, hint = ""] = /hint: write a SELECT: (.*)$/m.exec(output) ?? [];
  expect(shell(hint)).toMatchObject({
    output: expect.stringContaining("my.sql: check each line"),
    status: 0,
  });
});
