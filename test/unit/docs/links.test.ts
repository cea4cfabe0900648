import { existsSync, globSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { anchorsOf, type Link, linksOf, projectFiles, ROOT, textOf } from "./pages.ts";

const pages = projectFiles("*.md");

const isBroken = ({ path, anchor }: Link): boolean =>
  !existsSync(join(ROOT, path)) ||
  (anchor !== undefined && path.endsWith(".md") && !anchorsOf(textOf(path)).has(anchor));

const nameOf = ({ path, anchor }: Link): string => (anchor ? `${path}#${anchor}` : path);

test("heading anchors are GitHub's", () => {
  const text = "## `make up`, and *then*?\n```\n# no heading\n```\n";
  expect([...anchorsOf(text)]).toEqual(["make-up-and-then"]);
});

test("every link of a page leads to an existing file and heading", () => {
  expect(pages).toContain("docs/README.md");
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter(isBroken)
      .map((link) => `${page}: ${nameOf(link)}`),
  );
  expect(broken).toEqual([]);
});

test("every page of docs is reachable from the project's README", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    for (const { path } of linksOf(page)) if (pages.includes(path)) reached.add(path);
  }
  expect(pages.filter((page) => page.startsWith("docs/") && !reached.has(page))).toEqual([]);
});

test("every file and folder in code font on a page exists", () => {
  // These pages also name files that the reader creates.
  const explaining = pages.filter((page) => !/^docs\/(how-to|tutorial)\//.test(page));
  const folders = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const named = explaining.flatMap((page) =>
    [...textOf(page).matchAll(/`([\w-]+)(\/[\w/.*-]*)`/g)].flatMap(([, folder = "", rest]) =>
      folders.includes(folder) ? [{ page, path: `${folder}${rest}` }] : [],
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  const isPath = (path: string, cwd: string) =>
    globSync(path.replace("NAME", "*"), { cwd }).length > 0;
  const missing = named.filter(
    ({ page, path }) => !isPath(path, ROOT) && !isPath(path, join(ROOT, dirname(page))),
  );
  expect(missing.map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
});

test("every page of docs that a program or a test names exists", () => {
  const files = projectFiles("*.ts", "*.sql", "*.py", "*.mk", "*.sh", "*.yaml", "*.yml", "*.json");
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/docs\/[\w/-]+\.md/g)].map(([path]) => ({ file, path })),
  );
  expect(named.length).toBeGreaterThan(10);
  const wrong = named.filter(({ path }) => !existsSync(join(ROOT, path)));
  expect(wrong.map(({ file, path }) => `${file}: ${path}`)).toEqual([]);
});
