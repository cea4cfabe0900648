import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { blocksOf, ROOT } from "../../support/page-blocks.ts";

const page = readFileSync(join(ROOT, "docs/how-to/add-a-service.md"), "utf8");

/** Texts of the files that the page changes, by path. */
const changed = new Map<string, string>();
const textOf = (path: string) => changed.get(path) ?? ts.sys.readFile(path);

/** Code of the section whose heading names `file`. */
function codeOf(file: string): string {
  const section = page.split(/^## /m).find((text) => text.split("\n")[0]?.includes(`\`${file}\``));
  const code = blocksOf(section ?? "").find(({ language }) => language === "ts")?.code;
  if (code === undefined) throw new Error(`No section of the page has code for ${file}`);
  return code;
}

/** Puts `lines` above the first line of `file` that contains `mark`. */
function insert(file: string, mark: string, lines: string): void {
  const path = join(ROOT, file);
  const text = textOf(path) ?? "";
  expect(text).toContain(mark);
  changed.set(
    path,
    text.replace(mark, () => `${lines}\n${mark}`),
  );
}

/** The compiler's errors in a program and the files that it imports, with the changes. */
function problems(files: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const host = ts.createCompilerHost(options);
  const { fileExists } = host;
  host.fileExists = (path) => changed.has(path) || fileExists(path);
  host.readFile = textOf;
  // The folder of the new service exists only in the changes.
  host.directoryExists = () => true;
  const { getSourceFile } = host;
  host.getSourceFile = (path, target, ...more) => {
    const text = changed.get(path);
    return text === undefined
      ? getSourceFile(path, target, ...more)
      : ts.createSourceFile(path, text, target);
  };
  const program = ts.createProgram(
    files.map((file) => join(ROOT, file)),
    options,
    host,
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test("the service of the page compiles as part of the program", () => {
  for (const name of ["config", "spec"]) {
    const file = `components/minio/${name}.ts`;
    changed.set(join(ROOT, file), codeOf(file));
  }
  const [registry, services] = ["components/registry.ts", "components/services.ts"];
  const [config = "", block = "", spec = "", plan = ""] = codeOf(registry).split("\n\n");
  insert(registry, "import { networkConfig }", config);
  insert(registry, "  network: networkConfig,", block);
  insert(services, "import { planPostgres }", spec);
  insert(services, "    bi: when(", plan);
  insert("index.ts", '    brokerUi: single("broker-ui"', codeOf("index.ts"));
  expect(problems(["index.ts"])).toEqual([]);
});
