import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../../..");

const folder = mkdtempSync(join(tmpdir(), "require-node-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What Pulumi.yaml puts before the program. */
const { runtime } = parse(readFileSync(join(ROOT, "Pulumi.yaml"), "utf8"));
const nodeArgs: string[] = runtime.options.nodeargs.split(" ");

/** Runs a text as the program is run, with its preloaded module behind `before`. */
function run(text: string, { before = "" } = {}) {
  const file = join(folder, "before.cjs");
  writeFileSync(file, before);
  const args = [`--require=${file}`, ...nodeArgs, "--eval", text];
  const options = { cwd: ROOT, encoding: "utf8", env: process.env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, stdout: stdout.trim(), stderr };
}

test("the SDK and its errors are as they come", () => {
  const { stdout } = run(`
    require("@pulumi/pulumi");
    console.log(Error.stackTraceLimit > 0, "serializeFunction" in require("@pulumi/pulumi").runtime);
  `);
  expect(stdout).toBe("true true");
});

test("a Node that cannot run the program is told in a line, with the cure", () => {
  const before = `require("node:module").registerHooks = undefined;`;
  const { status, stderr } = run("", { before });
  expect(status).toBe(1);
  expect(stderr).toBe(
    `error: Node ${process.versions.node} cannot run this program; it needs 22.18 (of 23: 23.6) or newer.\n` +
      "  next: npm ci, then make up (it brings its own Node), or npx --no-install pulumi up\n",
  );
});

test("every Node takes what is put before the program", () => {
  // --import is a bad option to Node before 18.18 and 20.6, which would say no more than that.
  expect(nodeArgs).toEqual(["--require=./scripts/require-node.cjs"]);
  const source = readFileSync(join(ROOT, "scripts/require-node.cjs"), "utf8");
  // What Node 14.0 does not know: names with node:, and newer syntax.
  expect(source).not.toMatch(/require\("node:|\?\?=|\|\|=|&&=|^await |import\(|static \{/m);
});
