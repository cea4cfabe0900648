import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { CALL_VARIABLE, callable } from "../../../contract/command-call.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["run `pipeline prove --database d`", "run `npm run pipeline -- prove --database d`"],
  ["run pipeline --help", "run npm run pipeline -- --help"],
  [
    "pipeline data, then pipeline transform",
    "npm run pipeline -- data, then npm run pipeline -- transform",
  ],
  ["npm run pipeline -- follow", "npm run pipeline -- follow"],
  ["what the pipeline rejects in .state/event-pipeline now", undefined],
])("%s", (text, expected = text) => {
  expect(callable(text)).toBe(expected);
});

test("on a stack, a command runs there", () => {
  vi.stubEnv(CALL_VARIABLE, "npm run pipeline -- stack run --stack dev --");
  expect(callable("run pipeline topics, or pipeline stack run -- data")).toBe(
    "run npm run pipeline -- stack run --stack dev -- topics, or npm run pipeline -- stack run -- data",
  );
});

test("the call starts the command line in a clone", () => {
  const [npm = "", ...call] = callable("pipeline --help").split(" ");
  const cwd = join(import.meta.dirname, "../../..");
  const { status, stdout } = spawnSync(npm, call, { cwd, encoding: "utf8" });
  expect(stdout).toContain("Usage: pipeline");
  expect(status).toBe(0);
});
