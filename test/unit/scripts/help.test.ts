import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProgram } from "../../../cli/program.ts";

const ROOT = join(import.meta.dirname, "../../..");
const GROUPS = ["Start", "Stack", "Data", "Monitoring", "Development"];
const files = ["Makefile", ...globSync("make/*.mk", { cwd: ROOT })];
const rules = files
  .flatMap((file) => readFileSync(join(ROOT, file), "utf8").split("\n.PHONY: ").slice(1))
  .map((rule) => ({ name: rule.split("\n")[0] ?? "", rule }));

test("make help lists every target once, in five groups, and marks those that need the stack", () => {
  const { stdout } = spawnSync("sh", ["scripts/help.sh", ...files], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(stdout.match(/^[A-Z]\w+$/gm)).toEqual(GROUPS);
  const lines = [...stdout.matchAll(/^ {2}([ *]) ([a-z-]+) +\S/gm)];
  expect(lines.map(([, , name]) => name).sort()).toEqual(rules.map(({ name }) => name).sort());
  const marked = new Set(lines.filter(([, mark]) => mark === "*").map(([, , name]) => name));
  const onStack = rules.filter(({ rule }) => rule.includes("$(ON_STACK)"));
  expect(onStack.length).toBeGreaterThan(5);
  expect(onStack.filter(({ name }) => !marked.has(name))).toEqual([]);
  for (const { name } of rules.filter(({ rule }) => !/\$\((ON_STACK|STACK_CLI)\)/.test(rule))) {
    expect(marked).not.toContain(name);
  }
});

test("pipeline --help has the same groups, except those of make alone", async () => {
  const help = (await createProgram("--help")).helpInformation();
  expect(help.match(/^[A-Z]\w+(?=:$)/gm)?.filter((name) => name !== "Options")).toEqual(
    GROUPS.filter((name) => name !== "Development"),
  );
});
