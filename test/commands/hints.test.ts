import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyStatement } from "../../contract/statement.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { killOnOutput, pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli-hints");

/** Make targets that need a running stack. */
const STACK_TARGET = /make (?!demo|play)[a-z-]+/;
const small = ["--days", "1", "--rate", "2", "--report", join(root, "r.html")];

describe("in a workspace no hint names a target of the stack", () => {
  const empty = ["--database", join(root, "empty")];

  test.each([["prove"], ["follow"], ["history-analytics"], ["history-check"], ["transform"]])(
    "%s",
    (...command) => {
      const { status, stderr } = pipeline([...command, ...empty]);
      expect(status).not.toBe(0);
      expect(stderr).toMatch(/^error: .*\n {2}hint: .*\.\/pipeline data --database/s);
      expect(stderr).not.toMatch(STACK_TARGET);
    },
  );
});

test("a load prints the next command for its database", () => {
  const database = ["--database", join(root, "own")];
  const { stdout } = pipeline(["data", "--limit", "20", ...database]);
  expect(stdout).toContain(`Next: ./pipeline transform ${database.join(" ")}`);
});

test("history-check of a dataset without a manifest checks nothing and names prove", () => {
  const database = ["--database", join(root, "slice")];
  expect(pipeline(["data", "--limit", "20", ...database]).status).toBe(0);
  expect(pipeline(["transform", ...database]).status).toBe(0);
  const { status, stdout, stderr } = pipeline(["history-check", ...database]);
  expect(stdout).toMatch(
    /^ {2}not checked {2}manifest +only a generated history has one; to check your own data, run `/m,
  );
  const [, command = ""] = /`\.\/pipeline (prove .*)`/.exec(stdout) ?? [];
  expect(pipeline(command.split(" ")).status).toBe(0);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("history-check passes on a demo, which has no live generation", () => {
  // State of a demo that was killed at its start, which may be replaced.
  const directory = join(root, "demo");
  mkdirSync(join(directory, "tmp"), { recursive: true });
  expect(pipeline(["demo", ...small, "--database", directory]).status).toBe(0);
  const { status, stdout } = pipeline(["history-check", "--database", directory]);
  expect(stdout).toMatch(/live handover +not checked: no generator/);
  expect(status).toBe(0);
});

describe("a killed demo", () => {
  test("by Ctrl+C prints how to start again, and a query warns", async () => {
    const directory = join(root, "interrupted");
    const query = () => pipeline(["query", "SELECT 1", "--database", directory]);
    const output = await killOnOutput(
      ["demo", ...small, "--database", directory],
      "  generate ",
      "SIGINT",
    );
    expect(output).toMatch(
      /The demo was interrupted, and .* is incomplete\n {2}hint: run `\.\/pipeline demo --database .*` to start again$/m,
    );
    const { status, stderr } = query();
    expect(status).toBe(0);
    expect(stderr).toContain("warning: the marts are empty. hint: run `./pipeline transform");

    const db = await openWorkspace(directory);
    const begun = {
      name: "demo",
      statement: emptyStatement(),
      kind: "history",
      isFinal: false,
    } as const;
    await storeSource(db, await currentEpoch(db), begun);
    await db.close();
    expect(query().stderr).toContain(
      'warning: the load "demo" was interrupted. hint: run `./pipeline prove',
    );
  });

  test.each(["generate", "load_ods"])("after %s is completed, never rebuilt", async (step) => {
    const directory = join(root, `killed-${step}`);
    await killOnOutput(["demo", ...small, "--database", directory], `  ${step} `);
    const { stdout, stderr } = pipeline(["prove", "--database", directory]);
    const hints = [...(stdout + stderr).matchAll(/(?:hint|next): (.*)/g)].map(([, hint]) => hint);
    expect(hints.length).toBeGreaterThan(0);
    for (const hint of hints) {
      expect(hint).toBe(`run \`./pipeline transform --no-full-refresh --database ${directory}\``);
    }
    const command = /`\.\/pipeline (.*)`/.exec(hints[0] ?? "")?.[1] ?? "";
    expect(pipeline(command.split(" ")).status).toBe(0);
    expect(pipeline(["prove", "--database", directory]).status).toBe(0);
  });
});
