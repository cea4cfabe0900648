import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyProject } from "../support/copy-project.ts";
import { blocksOf, ROOT } from "../support/page-blocks.ts";
import { type RecordedResource, resourceOf } from "../unit/stack/record.ts";
import { expectRules } from "../unit/stack/walk.ts";

const page = readFileSync(join(ROOT, "docs/how-to/add-a-service.md"), "utf8");
const [settings = "", service = "", composition = "", program = ""] = blocksOf(page)
  .filter(({ language }) => language === "ts")
  .map(({ code }) => code);

const copy = copyProject("add-a-service-");
afterAll(() => rmSync(copy, { recursive: true }));

function change(file: string, edit: (text: string) => string): void {
  const path = join(copy, file);
  writeFileSync(path, edit(readFileSync(path, "utf8")));
}

/** Adds the imports of a block of the page, and its lines beside a text of the file. */
const add = (block: string, anchor: string) => (text: string) => {
  const [imports = "", lines = ""] = block.split("\n\n");
  expect(text).toContain(anchor);
  return `${imports}\n${text}`.replace(anchor, `${lines}\n${anchor}`);
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
  mkdirSync(join(copy, "components/jupyter"));
  const files = {
    "components/jupyter/config.ts": settings,
    "components/jupyter/index.ts": service,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(copy, file), `${text}\n`);
  change(
    "components/config.ts",
    add(composition, '  grafana: optional(grafanaConfig, "Grafana"),'),
  );
  change("components/event-pipeline.ts", add(program, "    const prometheus = services.add("));
  run(
    "node_modules/@biomejs/biome/bin/biome",
    "check",
    "--write",
    "--error-on-warnings",
    "index.ts",
    "components",
  );
  for (const [file, text] of Object.entries(files)) {
    expect(readFileSync(join(copy, file), "utf8")).toBe(`${text}\n`);
  }
  run("node_modules/typescript/bin/tsc", "--noEmit");

  const record = `import { recordProgram } from "./test/unit/stack/record.ts";
    const resources = await recordProgram("dev", { jupyter: {} });
    process.stdout.write(JSON.stringify(resources));`;
  const printed = run("--input-type=module", "--eval", record);
  const resources: RecordedResource[] = JSON.parse(printed.slice(printed.indexOf("[{")));
  expectRules(resources);
  expect(resourceOf(resources, "event-pipeline-dev", "Stack").outputs).toMatchObject({
    pages: expect.arrayContaining([expect.objectContaining({ url: "http://localhost:8888" })]),
    secrets: { jupyterToken: "<secret>" },
  });
});
