import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
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

test("a Node that cannot run the program gets one line, with the fix", () => {
  const before = `require("node:module").registerHooks = undefined;`;
  const { status, stderr } = run("", { before });
  expect(status).toBe(1);
  expect(stderr).toBe(
    `error: Node ${process.versions.node} cannot run this program; it needs 22.18 (of 23: 23.6) or newer.\n` +
      "  hint: npm ci, then make, npm run or npx --no-install pulumi: they use the Node that it installs\n",
  );
});

test("a checkout without its dependencies is reported by every npm script for newcomers", () => {
  const script = join(folder, "scripts/require-node.cjs");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  copyFileSync(join(ROOT, "scripts/require-node.cjs"), script);
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toBe(
    "error: The dependencies are not installed.\n  hint: npm ci, then the same command\n",
  );
});

describe("entry points", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const named = ["README.md", "CONTRIBUTING.md"].map((file) =>
    readFileSync(join(ROOT, file), "utf8"),
  );

  test("README and CONTRIBUTING name npm scripts and make, never a TypeScript file for node", () => {
    expect(named.join("\n")).not.toMatch(/\bnode [\w/.-]+\.ts/);
  });

  test("every npm script that they name checks Node and the installation first", () => {
    const names = named.flatMap((text) =>
      [...text.matchAll(/npm (?:run )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name),
    );
    const commands = [...new Set(names)].flatMap((name) => scripts[name] ?? []);
    expect(commands.length).toBeGreaterThan(2);
    const own = commands.filter((command: string) => !command.startsWith("npm run "));
    for (const command of own) expect(command).toMatch(/^node .*scripts\/require-node\.cjs/);
  });
});

test("every Node takes what is put before the program", () => {
  // --import is a bad option to Node before 18.18 and 20.6, which would say no more than that.
  expect(nodeArgs).toEqual(["--require=./scripts/require-node.cjs"]);
  const source = readFileSync(join(ROOT, "scripts/require-node.cjs"), "utf8");
  // What Node 14.0 does not know: names with node:, and newer syntax.
  expect(source).not.toMatch(/require\("node:|\?\?=|\|\|=|&&=|^await |import\(|static \{/m);
});
