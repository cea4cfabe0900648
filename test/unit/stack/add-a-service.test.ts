import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyProject } from "../../support/copy-project.ts";
import { blocksOf, ROOT } from "../../support/page-blocks.ts";
import { type RecordedResource, resourceOf } from "./record.ts";
import { expectRules } from "./walk.ts";

const page = readFileSync(join(ROOT, "docs/how-to/add-a-service.md"), "utf8");
const [service = "", settings = "", program = ""] = blocksOf(page)
  .filter(({ language }) => language === "ts")
  .map(({ code }) => code);

const copy = copyProject("add-a-service-");
afterAll(() => rmSync(copy, { recursive: true }));

function change(file: string, edit: (text: string) => string): void {
  const path = join(copy, file);
  writeFileSync(path, edit(readFileSync(path, "utf8")));
}

/** Inserts lines at the start of the object that a name defines or returns. */
const into = (name: string, lines: string) => (text: string) => {
  const start = new RegExp(
    `(?:const|function) ${name}\\b.*?(?:= |return |strictObject\\()\\{\\n`,
    "s",
  );
  expect(text).toMatch(start);
  return text.replace(start, (found) => `${found}${lines}\n`);
};

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

test("the service of the page is type-checked, linted and deployed like the others", () => {
  mkdirSync(join(copy, "components/minio"));
  writeFileSync(join(copy, "components/minio/index.ts"), `${service}\n`);
  for (const part of settings.split("\n\n")) {
    const [, name = "", lines = ""] = /^\/\/ (\w+)\n(.*)$/s.exec(part) ?? [];
    change(`components/${name === "SECRETS" ? "secrets" : "config"}.ts`, into(name, lines));
  }
  const [imports = "", call = ""] = program.split("\n\n");
  change("index.ts", (text) =>
    `${imports}\n${text}`.replace("  const services = {", `${call}\n  const services = { minio,`),
  );
  run(
    "node_modules/@biomejs/biome/bin/biome",
    "check",
    "--write",
    "--error-on-warnings",
    "index.ts",
    "components",
  );
  expect(readFileSync(join(copy, "components/minio/index.ts"), "utf8")).toBe(`${service}\n`);
  run("node_modules/typescript/bin/tsc", "--noEmit");

  const record = `import { recordProgram } from "./test/unit/stack/record.ts";
    const resources = await recordProgram("dev", { minio: { enabled: true } });
    process.stdout.write(JSON.stringify(resources));`;
  const printed = run("--input-type=module", "--eval", record);
  const resources: RecordedResource[] = JSON.parse(printed.slice(printed.indexOf("[{")));
  const container = resourceOf(resources, "minio");
  // The page says why its container runs as root.
  container.inputs.user = "1000:1000";
  expectRules(resources);
  expect(resourceOf(resources, "event-pipeline-dev", "Stack").outputs).toMatchObject({
    pages: expect.arrayContaining([expect.objectContaining({ url: "http://localhost:9003" })]),
    secrets: { minioPassword: "<secret>" },
  });
});
