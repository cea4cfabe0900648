/** @module-tag slow */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { killOnOutput, pipeline } from "../../support/cli.ts";

const root = mkdtempSync(join(tmpdir(), "cli-hints-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Targets of make that need a running stack. */
const STACK_TARGET = /make (?!demo|play)[a-z-]+/;
const small = ["--days", "1", "--rate", "2", "--report", join(root, "r.html")];

describe("on an embedded engine no hint names a target of the stack", () => {
  const empty = ["--database", join(root, "empty")];

  test.each([["prove"], ["follow"], ["history-analytics"], ["history-check"], ["transform"]])(
    "%s",
    (...command) => {
      const { status, stderr } = pipeline([...command, ...empty]);
      expect(status).not.toBe(0);
      expect(stderr).toMatch(/^error: .*\n {2}hint: .*pipeline data --database/s);
      expect(stderr).not.toMatch(STACK_TARGET);
    },
  );
});

test("a load ends with the command that works on its database", () => {
  const database = ["--database", join(root, "own")];
  const { stdout } = pipeline(["data", "--limit", "20", ...database]);
  expect(stdout).toContain(`Next: pipeline transform ${database.join(" ")}`);
});

test("history-check passes on a demo: nothing goes live there", () => {
  // As a demo leaves it that was killed at its start: it may be made again there.
  const directory = join(root, "demo");
  mkdirSync(join(directory, "tmp"), { recursive: true });
  expect(pipeline(["demo", ...small, "--data", directory]).status).toBe(0);
  const { status, stdout } = pipeline(["history-check", "--database", directory]);
  expect(stdout).toMatch(/live seam +not checked: no generator/);
  expect(status).toBe(0);
});

describe("a demo that was killed", () => {
  test.each(["generate", "load_ods"])("after %s is completed, never rebuilt", async (step) => {
    const directory = join(root, `killed-${step}`);
    await killOnOutput(["demo", ...small, "--data", directory], `  ${step} `);
    const { stdout, stderr } = pipeline(["prove", "--database", directory]);
    const hints = [...(stdout + stderr).matchAll(/(?:hint|next): (.*)/g)].map(([, hint]) => hint);
    expect(hints.length).toBeGreaterThan(0);
    for (const hint of hints) {
      expect(hint).toBe(`pipeline transform --no-full-refresh --database ${directory}`);
    }
    expect(pipeline(hints[0]?.split(" ").slice(1) ?? []).status).toBe(0);
    expect(pipeline(["prove", "--database", directory]).status).toBe(0);
  });
});

test.each(["0", "150001", "1e9"])("a rate of %s is refused by its own name", (rate) => {
  const { stderr } = pipeline(["demo", "--rate", rate]);
  expect(stderr).toContain("Allowed: a number from 0.001 to 150000");
  expect(stderr).not.toContain("GEN_");
});
