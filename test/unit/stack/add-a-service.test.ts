import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyProject } from "../../support/copy-project.ts";
import { blocksOf, ROOT } from "../../support/page-blocks.ts";

const page = readFileSync(join(ROOT, "docs/how-to/add-a-service.md"), "utf8");
let copy: string;

beforeAll(() => {
  copy = copyProject("add-a-service-");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Code of the section whose heading names `file`. */
function codeOf(file: string): string {
  const section = page.split(/^## /m).find((text) => text.split("\n")[0]?.includes(`\`${file}\``));
  const code = blocksOf(section ?? "").find(({ language }) => language === "ts")?.code;
  if (code === undefined) throw new Error(`No section of the page has code for ${file}`);
  return code;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

/** Puts `lines` above the first line of `file` that contains `mark`. */
function insert(file: string, mark: string, lines: string): void {
  const text = readFileSync(join(copy, file), "utf8");
  expect(text).toContain(mark);
  write(
    file,
    text.replace(mark, () => `${lines}\n${mark}`),
  );
}

test("the service of the page compiles as part of the program", () => {
  for (const name of ["config", "spec"]) {
    const file = `components/minio/${name}.ts`;
    write(file, codeOf(file));
  }
  const [registry, services] = ["components/registry.ts", "components/services.ts"];
  const [config = "", block = "", spec = "", plan = ""] = codeOf(registry).split("\n\n");
  insert(registry, "import { networkConfig }", config);
  insert(registry, "  network: networkConfig,", block);
  insert(services, "import { planPostgres }", spec);
  insert(services, "    bi: when(", plan);
  insert("index.ts", '    brokerUi: single("broker-ui"', codeOf("index.ts"));

  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "--noEmit"], {
    cwd: copy,
    encoding: "utf8",
  });
  expect(status, stdout).toBe(0);
});
