import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Which folders a folder may import from, besides itself: the arrows of docs/architecture.md. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  kafka: ["contract"],
  generator: ["contract", "kafka"],
  embedded: ["contract"],
  pipeline: ["contract", "kafka", "generator", "embedded", "dashboards", "superset"],
  dashboards: ["contract"],
  superset: ["contract"],
  components: ["contract", "generator", "pipeline", "dashboards", "superset"],
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

/** The stack's lifecycle lies in the pipeline's folder, and works on what the components declare. */
const ABOVE_COMPONENTS = /^pipeline\/(stack|commands|cli\.ts)/;

const folderOf = ({ file, target }: Import): string =>
  relative(ROOT, resolve(ROOT, dirname(file), target)).split("/")[0] ?? "";

const FOLDERS = Object.keys(ALLOWED).filter((folder) => existsSync(join(ROOT, folder)));

describe.each(FOLDERS)("%s", (folder) => {
  const imports = importsOf(folder);

  test("imports only what may lie below it", () => {
    const strangers = imports.filter((one) => {
      const more = ABOVE_COMPONENTS.test(one.file) ? ["components"] : [];
      const allowed = [folder, ...(ALLOWED[folder] ?? []), ...more];
      return one.target.startsWith(".") && !allowed.includes(folderOf(one));
    });
    expect(strangers).toEqual([]);
  });
});

const AUTOMATION = "@pulumi/pulumi/automation/index.js";

test("only the components and the program know Pulumi, and the wrapper its Automation API", () => {
  const isWrapper = (path: string): boolean => path.startsWith("pipeline/stack/manage/");
  const found = FOLDERS.filter((folder) => folder !== "components")
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith("@pulumi"))
    .filter(({ file, target }) => !(isWrapper(file) && target === AUTOMATION));
  expect(found).toEqual([]);
});
