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

const help = (groups: string): string =>
  spawnSync("sh", ["scripts/help.sh", groups, ...files], { cwd: ROOT, encoding: "utf8" }).stdout;
const TARGET = /^ {2}([ *]) ([a-z-]+)(?: +\S|$)/gm;

test("make help-all lists every target once, in five groups, and marks those that need the stack", () => {
  const text = help(GROUPS.join(" "));
  expect(text.match(/^[A-Z]\w+$/gm)).toEqual(GROUPS);
  const lines = [...text.matchAll(TARGET)];
  expect(lines.map(([, , name]) => name).sort()).toEqual(rules.map(({ name }) => name).sort());
  const marked = new Set(lines.filter(([, mark]) => mark === "*").map(([, , name]) => name));
  const onStack = rules.filter(({ rule }) => rule.includes("$(ON_STACK)"));
  expect(onStack.length).toBeGreaterThan(5);
  expect(onStack.filter(({ name }) => !marked.has(name))).toEqual([]);
  for (const { name } of rules.filter(({ rule }) => !/\$\((ON_STACK|STACK_CLI)\)/.test(rule))) {
    expect(marked).not.toContain(name);
  }
});

test("make help lists the first targets and names make help-all; both fit 80 columns", () => {
  const names = [...help("Start").matchAll(TARGET)].map(([, , name]) => name);
  expect(names).toEqual(expect.arrayContaining(["demo", "play", "test", "up", "doctor"]));
  expect(names.length).toBeLessThan(15);
  expect(help("Start")).toContain(`make help-all lists all ${rules.length} targets`);
  const lines = `${help("Start")}${help(GROUPS.join(" "))}`.split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  ["days=1", "There is no variable days. hint: write DAYS=."],
  ["DAY=1", "There is no variable DAY. hint: write DAYS=."],
  ["speed=9", "There is no variable speed. hint: run make help-all, which names the variables."],
  ["DAYS=1", ""],
  ["SQL=SELECT a = 1", ""],
  ["DOCKER_HOST=unix:///none", ""],
])("make refuses a variable that no target reads: %s", (variable, refusal) => {
  const call = ["--dry-run", "help", variable];
  const { status, stderr } = spawnSync("make", call, { cwd: ROOT, encoding: "utf8" });
  expect(stderr).toMatch(refusal === "" ? /^$/ : `*** ${refusal}`);
  expect(status).toBe(refusal === "" ? 0 : 2);
});

test("pipeline --help has the same groups, except those of make alone", async () => {
  const text = (await createProgram("--help")).helpInformation();
  expect(text.match(/^[A-Z]\w+(?=:$)/gm)?.filter((name) => name !== "Options")).toEqual(
    GROUPS.filter((name) => name !== "Development"),
  );
});
