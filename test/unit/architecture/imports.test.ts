import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, importGraph, importsOf } from "../../support/imports.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Folders from the lowest to the highest. A folder imports only itself and those before it. */
const ORDER = [
  "contract",
  "terminal",
  "kafka",
  "generator",
  "embedded",
  "warehouse",
  "airflow",
  "superset",
  "report",
  "labs",
  "dashboards",
  "components",
  "stack",
  "cli",
] as const;

/** Parts on the same level, which do not import each other. */
const INDEPENDENT: Readonly<Record<string, readonly string[]>> = {
  embedded: ["kafka", "generator"],
  airflow: ["kafka", "generator", "embedded", "warehouse"],
  superset: ["kafka", "generator", "embedded", "warehouse", "airflow"],
  report: ["airflow", "superset"],
  labs: ["kafka", "airflow", "superset", "report"],
  dashboards: ["labs"],
};

const folderOf = ({ file, target }: Import): string =>
  relative(ROOT, resolve(ROOT, dirname(file), target)).split("/")[0] ?? "";

describe.each(ORDER)("%s", (folder) => {
  test("imports only folders that come before it", () => {
    const allowed: readonly string[] = ORDER.slice(0, ORDER.indexOf(folder) + 1);
    const independent = INDEPENDENT[folder] ?? [];
    const unexpected = importsOf(folder).filter((one) => {
      const target = folderOf(one);
      const isAllowed = allowed.includes(target) && !independent.includes(target);
      return one.target.startsWith(".") && !isAllowed;
    });
    expect(unexpected).toEqual([]);
  });
});

const AUTOMATION = "@pulumi/pulumi/automation/index.js";

test("only the components and the program import Pulumi, and the wrapper its Automation API", () => {
  const isWrapper = (path: string): boolean => path.startsWith("stack/lifecycle/");
  const found = ORDER.filter((folder) => folder !== "components")
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith("@pulumi"))
    .filter(({ file, target }) => !(isWrapper(file) && target === AUTOMATION));
  expect(found).toEqual([]);
});

const graph = importGraph(ORDER);

/**
 * The first import cycle that a depth-first search from `file` finds; `done` holds files without
 * one.
 */
function circleFrom(file: string, path: readonly string[], done: Set<string>): string[] | null {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return null;
  for (const target of graph.get(file) ?? []) {
    const circle = circleFrom(target, [...path, file], done);
    if (circle) return circle;
  }
  done.add(file);
  return null;
}

test("no file imports itself through others", () => {
  const done = new Set<string>();
  const circles = [...graph.keys()].flatMap((file) => {
    const circle = circleFrom(file, [], done);
    return circle ? [circle.join(" → ")] : [];
  });
  expect(circles).toEqual([]);
});

const OTHER_FOLDERS = ["sql", "data", "scenarios", "images", "make", "test", "bench", "scripts"];

test.each([...ORDER, ...OTHER_FOLDERS])("%s has a README of at most 15 lines", (folder) => {
  const lines = readFileSync(join(ROOT, folder, "README.md"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.length).toBeLessThanOrEqual(15);
});
