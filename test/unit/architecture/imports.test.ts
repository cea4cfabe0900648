import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, importsOf } from "../../support/imports.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Folders from the lowest to the highest. A folder imports only itself and those before it. */
const ORDER = [
  "policy",
  "contract",
  "terminal",
  "kafka",
  "generator",
  "collector",
  "warehouse",
  "airflow",
  "superset",
  "report",
  "labs",
  "dashboards",
  "components",
  "stack",
  "cli",
  "images",
] as const;

/** Folders of developers may import all others; no other folder imports them. */
const DEVELOPMENT = ["scripts", "bench", "test"];
const FOLDERS: readonly string[] = [...ORDER, ...DEVELOPMENT];

/** Parts on the same level, which do not import each other. */
const INDEPENDENT: Readonly<Record<string, readonly string[]>> = {
  collector: ["kafka", "generator"],
  warehouse: ["collector"],
  airflow: ["kafka", "generator", "collector", "warehouse"],
  superset: ["kafka", "generator", "collector", "airflow"],
  report: ["airflow", "superset"],
  labs: ["kafka", "airflow", "superset", "report"],
  dashboards: ["labs"],
  images: ["stack", "cli"],
};

test("the order has every folder with programs", () => {
  const files = globSync("*/**/*.ts", { cwd: ROOT, exclude: ["node_modules"] });
  const folders = new Set(files.map((file) => file.split("/")[0]));
  expect([...folders].sort()).toEqual([...FOLDERS].sort());
});

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

test("only the components and the program import Pulumi", () => {
  const found = ORDER.filter((folder) => folder !== "components")
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith("@pulumi"));
  expect(found).toEqual([]);
});

type Graph = ReadonlyMap<string, readonly string[]>;

/** Project files that a file imports, for values or for types. */
function wholeGraph(): Graph {
  const all = FOLDERS.flatMap(importsOf).filter(({ target }) => target.startsWith("."));
  const files = Map.groupBy(all, ({ file }) => file);
  const targetsOf = (found: readonly Import[]): string[] =>
    found.map(({ file, target }) => relative(ROOT, resolve(ROOT, dirname(file), target)));
  return new Map([...files].map(([file, found]) => [file, targetsOf(found)]));
}

/** The first circle that a depth-first search from `file` finds; `done` holds files without one. */
function circleFrom(
  graph: Graph,
  file: string,
  path: readonly string[],
  done: Set<string>,
): string[] | null {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return null;
  for (const target of graph.get(file) ?? []) {
    const circle = circleFrom(graph, target, [...path, file], done);
    if (circle) {
      done.add(file);
      return circle;
    }
  }
  done.add(file);
  return null;
}

function circlesIn(graph: Graph): string[] {
  const done = new Set<string>();
  return [...graph.keys()].flatMap((file) => circleFrom(graph, file, [], done)?.join(" → ") ?? []);
}

test("the search finds a circle of two files and of three", () => {
  expect(
    circlesIn(
      new Map([
        ["a", ["b"]],
        ["b", ["a"]],
      ]),
    ),
  ).toContain("a → b → a");
  const three = new Map([
    ["a", ["d", "b"]],
    ["b", ["c"]],
    ["c", ["a"]],
    ["d", []],
  ]);
  expect(circlesIn(three)).toContain("a → b → c → a");
  expect(
    circlesIn(
      new Map([
        ["a", ["b", "c"]],
        ["b", ["c"]],
        ["c", []],
      ]),
    ),
  ).toEqual([]);
});

test("no two files import each other, directly or in a circle, not even for types", () => {
  expect(circlesIn(wholeGraph())).toEqual([]);
});

test.each(["warehouse", "generator"])("the folders of %s import each other one way", (root) => {
  const folderBelow = (path: string): string => path.split("/").slice(0, 2).join("/");
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of wholeGraph()) {
    const folder = folderBelow(file);
    const others = targets.map(folderBelow).filter((other) => other !== folder);
    folders.set(folder, new Set([...(folders.get(folder) ?? []), ...others]));
  }
  const below = [...folders].filter(([folder]) => folder.startsWith(`${root}/`));
  expect(circlesIn(new Map(below.map(([folder, to]) => [folder, [...to]])))).toEqual([]);
});

const OTHER_FOLDERS = ["sql", "data", "scenarios", "make"];

test.each([...FOLDERS, ...OTHER_FOLDERS])("%s has a README of at most 20 lines", (folder) => {
  const lines = readFileSync(join(ROOT, folder, "README.md"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.length).toBeLessThanOrEqual(20);
});
