import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { useFolder } from "../../support/use-folder.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Project files and folders in the image, each under its own path. */
const copied = [...read("airflow/Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
  .flatMap(([, sources = ""]) => sources.split(" "))
  .filter((path) => !/(package(-lock)?\.json|requirements\.lock)$/.test(path));
const packages = Object.keys(JSON.parse(read("airflow/package.json")).dependencies);

const isCopied = (path: string): boolean =>
  copied.some((one) => path === one || path.startsWith(`${one}/`));

/** Modules that a file imports, statically or dynamically, without type imports. */
const importsOf = (file: string): string[] =>
  [
    ...read(file).matchAll(
      /^(?:import|export) (?!type )[^;]*?from "([^"]+)"|import\("([^"]+)"\)/gm,
    ),
  ].map(([, now, later]) => now ?? later ?? "");

/** Everything that a file needs to run, as paths and package names. */
function needsOf(file: string, found = new Set<string>()): Set<string> {
  for (const target of importsOf(file)) {
    if (target.startsWith("node:")) continue;
    const isPackage = !target.startsWith(".");
    const name = isPackage
      ? packageOf(target)
      : relative(ROOT, resolve(ROOT, dirname(file), target));
    if (found.has(name)) continue;
    found.add(name);
    // Imports of a missing file are missing as well.
    if (!isPackage && isCopied(name)) needsOf(name, found);
  }
  return found;
}

const packageOf = (target: string): string =>
  target.split("/", target.startsWith("@") ? 2 : 1).join("/");

/** File of a command's module. */
function moduleOf(command: string): string {
  const lines = read("cli/program.ts").matchAll(
    /names: \[([^\]]*)\],\s*load: async \(\) => \(await import\("([^"]+)"/g,
  );
  const [, , target = ""] = [...lines].find(([, names]) => names?.includes(`"${command}"`)) ?? [];
  return join("cli", target);
}

/** Commands that the DAGs call. */
const called = (() => {
  const files = readdirSync(join(ROOT, "airflow/dags")).filter((name) => name.endsWith(".py"));
  const text = files.map((name) => read(join("airflow/dags", name))).join("\n");
  return [
    ...new Set([...text.matchAll(/arguments=\[\s*(?:\*\()?"(\w+)"/g)].map(([, word = ""]) => word)),
  ];
})();

describe("the scheduler's image", () => {
  test("has a build context with the files that it copies, and no others", () => {
    const allowed = [...read("airflow/Dockerfile.dockerignore").matchAll(/^!(\S+)$/gm)];
    const folders = copied.map((path) => (path.startsWith("airflow/") ? "airflow" : path));
    expect(allowed.map(([, path]) => path).sort()).toEqual([...new Set(folders)].sort());
    for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
  });

  test.each(called)("contains what `pipeline %s` needs", (command) => {
    const file = moduleOf(command);
    expect(isCopied(file), file).toBe(true);
    const lacking = [...needsOf(file)].filter((one) => !isCopied(one) && !packages.includes(one));
    // Imported only by the engine of a workspace; in a stack the database is a server.
    expect(lacking.filter((one) => one !== "ffi-rs")).toEqual([]);
  });

  test("the DAGs call the commands of the test above", () => {
    const commands = ["dag", "data", "ddl", "generator", "step", "stored", "topics", "transform"];
    expect(called.sort()).toEqual(commands);
  });
});

describe("the pipeline with only the image's files", () => {
  const image = useFolder("image");
  beforeAll(() => {
    for (const path of copied) cpSync(join(ROOT, path), join(image, path), { recursive: true });
    const { packages: locked } = JSON.parse(read("airflow/package-lock.json"));
    for (const path of Object.keys(locked).filter((one) =>
      /^node_modules\/(@[^/]+\/)?[^/]+$/.test(one),
    )) {
      mkdirSync(dirname(join(image, path)), { recursive: true });
      symlinkSync(join(ROOT, path), join(image, path));
    }
  });

  const run = (...args: string[]) => {
    const cli = join(image, "cli/main.ts");
    // Links stay within the image, so that its missing files are not found beside it.
    const flags = ["--preserve-symlinks", cli, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
    return { status, stdout, stderr };
  };

  test("finds plan and SQL", () => {
    expect(run("plan")).toMatchObject({ status: 0, stderr: "" });
  });

  test("a missing command is named by the help, and refused with a clear message", () => {
    const help = run("--help").stdout;
    expect(help).toMatch(/^ {2}step /m);
    expect(help).not.toMatch(/^ {2}bi-init /m);
    expect(help).toMatch(/Not part of this installation: .*bi-init/);
    const { status, stderr } = run("bi-init");
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^error: pipeline \S+ is not part of this installation, which lacks \S+/,
    );
    expect(stderr).toMatch(/\n {2}hint: .*checkout/);
    expect(stderr).not.toMatch(/\n +at /);
  });
});
