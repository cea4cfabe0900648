import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { LEVEL_STACKS } from "./level-stacks.ts";
import "./leftovers.ts";
import {
  belongings,
  forgetState,
  operate,
  operateEnvironment,
  ROOT,
  writeFile,
} from "./operator.ts";

const STACK = LEVEL_STACKS.one;

/** A Node that nothing may use: each start of it ends with an error. */
const OLD_NODE = join(ROOT, ".old-node");
mkdirSync(OLD_NODE);
for (const program of ["node", "npm", "npx"]) {
  const path = join(".old-node", program);
  writeFile(path, `#!/bin/sh\necho "old Node started: ${program} $*" >&2\nexit 70\n`);
  chmodSync(join(ROOT, path), 0o755);
}

afterAll(() => {
  operate(STACK, "clean");
  forgetState();
});

/** The operator's commands in an order in which each has what it needs, with their exit codes. */
const TABLE = [
  ["up CONFIG=test/stack/whole.yaml OFFSET=22000", 0],
  ["ddl", 0],
  ["transform", 0],
  ["prove", 0],
  ["generated-history-analytics", 0],
  // Live events cover less than five minutes yet.
  ["generated-history-check", 1],
  // The stack has data, which this check would delete.
  ["generated-history-runtime-check", 1],
  ["bi-init", 0],
  ["generator-restart", 0],
  // Follows the log until the time limit.
  ["generator-logs", 124],
  ["generator-down", 0],
  ["generator-up", 0],
  ["generator-test", 0],
  ["reload-monitoring", 0],
  ["recover-monitoring", 0],
  ["transform", 0],
  ["generated-history-check", 0],
  ["data LIMIT=50", 0],
  // After a load the generator waits in standby.
  ["generator-up", 1],
  ["transform", 0],
  ["down", 0],
  ["up", 0],
  ["clean YES=1", 0],
] as const;

const FOLLOWED_SECONDS: Readonly<Record<string, string>> = { "generator-logs": "20" };

describe("the operator's commands, with an old Node first in PATH", () => {
  test.each(TABLE)("make %s exits with %i", (command, code) => {
    const [target = "", ...variables] = command.split(" ");
    const { status, stdout, stderr } = spawnSync(
      "timeout",
      [FOLLOWED_SECONDS[target] ?? "1800", "make", target, `STACK=${STACK}`, ...variables],
      {
        cwd: ROOT,
        encoding: "utf8",
        env: {
          ...operateEnvironment(),
          PATH: [OLD_NODE, process.env.PATH].join(delimiter),
        },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const text = `${stdout}${stderr}`;
    expect(text).not.toContain("old Node started");
    expect(status === 2 ? 1 : status, text).toBe(code);
  });

  test("leave nothing behind", () => {
    expect(belongings(STACK)).toEqual([]);
  });
});
