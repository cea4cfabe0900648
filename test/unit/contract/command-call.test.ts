import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { CALL_VARIABLE, callable } from "../../../contract/command-call.ts";
import { folderOfTest } from "../../support/use-folder.ts";

const CLONE = join(import.meta.dirname, "../../..");

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["run `pipeline prove --database d`", "run `./pipeline prove --database d`"],
  ["run pipeline --help", "run ./pipeline --help"],
  ["pipeline data, then pipeline transform", "./pipeline data, then ./pipeline transform"],
  ["./pipeline follow", "./pipeline follow"],
  ["what the pipeline rejects in .state/event-pipeline now", undefined],
])("%s", (text, expected = text) => {
  expect(callable(text)).toBe(expected);
});

test("on a stack, a command runs there", () => {
  vi.stubEnv(CALL_VARIABLE, "./pipeline stack run --stack dev --");
  expect(callable("run pipeline topics, or pipeline stack run -- data")).toBe(
    "run ./pipeline stack run --stack dev -- topics, or ./pipeline stack run -- data",
  );
});

test("the launcher starts the command line from another folder, whose name has a space", () => {
  const folder = folderOfTest("a folder");
  symlinkSync(CLONE, join(folder, "my clone"));
  const call = ["-c", `'my clone/pipeline' query --database 'no data' 'SELECT 1'`];
  const { status, stderr } = spawnSync("sh", call, { cwd: folder, encoding: "utf8" });
  expect(stderr).toContain("or 'my clone/pipeline' data --database 'no data' to load");
  expect(status).toBe(1);
});
