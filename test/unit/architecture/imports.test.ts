import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Folders from the lowest to the highest. A folder imports only what is before it, or itself. */
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
  "dashboards",
  "components",
  "stack",
  "cli",
] as const;

/** Parts beside each other: neither knows the other. */
const INDEPENDENT: Readonly<Record<string, readonly string[]>> = {
  embedded: ["kafka", "generator"],
  airflow: ["kafka", "generator", "embedded", "warehouse"],
  superset: ["kafka", "generator", "embedded", "warehouse", "airflow"],
  report: ["airflow", "superset"],
};

interface Import {
  readonly file: string;
  readonly target: string;
}

const importsOf = (folder: string): Import[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const found = readFileSync(file, "utf8").matchAll(/(?:from|import\(|import) ?"([^"]+)"/g);
      return [...found].map(([, target = ""]) => ({ file: relative(ROOT, file), target }));
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

const AUTOMATION = "@pulumi/pulumi/automation/index.js";

test("only the components and the program know Pulumi, and the wrapper its Automation API", () => {
  const isWrapper = (path: string): boolean => path.startsWith("stack/lifecycle/");
  const found = ORDER.filter((folder) => folder !== "components")
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith("@pulumi"))
    .filter(({ file, target }) => !(isWrapper(file) && target === AUTOMATION));
  expect(found).toEqual([]);
});
