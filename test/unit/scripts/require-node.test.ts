import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { useFolder } from "../../support/use-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");

const folder = useFolder("require-node");

/** Node arguments before the program in Pulumi.yaml. */
const { runtime } = parse(readFileSync(join(ROOT, "Pulumi.yaml"), "utf8"));
const nodeArgs: string[] = runtime.options.nodeargs.split(" ");

/** Runs a text as Pulumi runs the program, with its preloaded module behind `before`. */
function run(text: string, { before = "" } = {}) {
  const file = join(folder, "before.cjs");
  writeFileSync(file, before);
  const args = [`--require=${file}`, ...nodeArgs, "--eval", text];
  const options = { cwd: ROOT, encoding: "utf8", env: process.env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, stdout: stdout.trim(), stderr };
}

test("the SDK and its errors are unchanged", () => {
  const { stdout } = run(`
    require("@pulumi/pulumi");
    console.log(Error.stackTraceLimit > 0, "serializeFunction" in require("@pulumi/pulumi").runtime);
  `);
  expect(stdout).toBe("true true");
});

test("an unsupported Node gets one line, with a hint", () => {
  const before = `require("node:module").registerHooks = undefined;`;
  const { status, stderr } = run("", { before });
  expect(status).toBe(1);
  expect(stderr).toBe(
    `error: Node ${process.versions.node} is too old for this program. Required: 22.18, 23.6 or newer.\n` +
      "  hint: run npm ci, then start the program with make, npm run or npx --no-install pulumi, which use the installed Node 24\n",
  );
});

test("every npm script for newcomers reports a checkout without dependencies", () => {
  const script = join(folder, "scripts/require-node.cjs");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  copyFileSync(join(ROOT, "scripts/require-node.cjs"), script);
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toBe(
    "error: The dependencies are not installed.\n  hint: run npm ci, then retry\n",
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

  test("no make target starts the Node, npm or npx of the system", () => {
    const files = ["Makefile", ...globSync("make/*.mk", { cwd: ROOT })];
    const rules = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
    const targets = [...rules.matchAll(/^\.PHONY: (\S+)$/gm)].map(([, name = ""]) => name);
    expect(targets.length).toBeGreaterThan(40);
    const { status, stdout, stderr } = spawnSync("make", ["--dry-run", ...targets], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const ofSystem = /(?:^|[\s;&|(])(?:node|npm|npx)\s/;
    expect(stdout.split("\n").filter((line) => ofSystem.test(line))).toEqual([]);
  });

  test("every npm script on these pages first checks Node and the installation", () => {
    const names = named.flatMap((text) =>
      [...text.matchAll(/npm (?:run )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name),
    );
    const commands = [...new Set(names)].flatMap((name) => scripts[name] ?? []);
    expect(commands.length).toBeGreaterThan(2);
    const own = commands.filter((command: string) => !command.startsWith("npm run "));
    for (const command of own) expect(command).toMatch(/^node .*scripts\/require-node\.cjs/);
  });
});

test("every Node accepts the arguments before the program", () => {
  // Node before 18.18 and 20.6 refuses --import, and would report only that.
  expect(nodeArgs).toEqual(["--require=./scripts/require-node.cjs"]);
  const source = readFileSync(join(ROOT, "scripts/require-node.cjs"), "utf8");
  // Syntax that Node 14.0 lacks: imports with node:, and newer operators.
  expect(source).not.toMatch(/require\("node:|\?\?=|\|\|=|&&=|^await |import\(|static \{/m);
});
