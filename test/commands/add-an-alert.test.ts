import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyProject } from "../support/copy-project.ts";
import { blocksOf, ROOT } from "../support/page-blocks.ts";

const page = readFileSync(join(ROOT, "docs/how-to/add-a-dashboard-or-alert.md"), "utf8");
/** The first block of each section whose heading has a path. */
const added = new Map(
  [...page.matchAll(/^## [^\n]*`([\w/.-]+\.ts)`\n(.*?)(?=^## )/gms)].map(
    ([, path = "", section = ""]) => [path, blocksOf(section)[0]?.code ?? ""],
  ),
);
/** Lines of the files before which the blocks belong. */
const PLACES = {
  "dashboards/signals/generator.ts": "  coefficient: {",
  "dashboards/definitions/generator.ts": "        stat(generator.stateSaved),",
  "dashboards/thresholds.ts": "  any: 0,",
  "dashboards/alerts/generator.ts": '  {\n    name: "GeneratorSilent",',
  "test/monitoring/rule-cases.ts": '  ...counting("GeneratorPublishErrors",',
};

const copy = copyProject("add-an-alert-");
afterAll(() => rmSync(copy, { recursive: true }));

function insert(path: string, place: string): void {
  const [indent = ""] = /^ */.exec(place) ?? [];
  const block = added.get(path)?.replaceAll(/^/gm, indent);
  const [before = "", after, ...others] = readFileSync(join(copy, path), "utf8").split(place);
  expect([path, after === undefined, others.length]).toEqual([path, false, 0]);
  writeFileSync(join(copy, path), `${before}${block}\n${place}${after}`);
}

function run(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, VITEST: undefined, NODE_ENV: undefined },
  });
  expect(status, stdout + stderr).toBe(0);
}

test("the alert of the page is type-checked, linted, documented and passes the tests of alerts", () => {
  expect([...added.keys()].toSorted()).toEqual(Object.keys(PLACES).toSorted());
  expect(readFileSync(join(copy, "dashboards/signals/generator.ts"), "utf8")).not.toContain(
    "restarts: {",
  );
  for (const [path, place] of Object.entries(PLACES)) insert(path, place);

  const changed = ["dashboards", "test/monitoring"];
  run("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", ...changed);
  run("node_modules/typescript/bin/tsc", "--noEmit");
  run("scripts/write-docs.ts");
  const reference = join(copy, "docs/reference/metrics-and-alerts.md");
  expect(readFileSync(reference, "utf8")).toContain("### Generator restarts");

  const tests = ["golden", "content", "runbook", "documented"];
  const files = tests.map((one) => `test/unit/dashboards/${one}.test.ts`);
  run("node_modules/vitest/vitest.mjs", "run", "--project", "unit", ...files, "--update");
  const rules = readFileSync(join(copy, "test/golden/prometheus/rules.yml"), "utf8");
  expect(rules).toContain("alert: GeneratorRestarts");
});
