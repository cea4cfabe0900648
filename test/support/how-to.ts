/** A copy of the project, to which a test applies the changes of a how-to page. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { copyProject } from "./copy-project.ts";
import { blocksOf, ROOT } from "./page-blocks.ts";

/** Copies the project for the tests of a file. @param name of a page in docs/how-to */
export function copyForPage(name: string) {
  const page = readFileSync(join(ROOT, `docs/how-to/${name}.md`), "utf8");
  const copy = copyProject(`${name}-`);
  afterAll(() => rmSync(copy, { recursive: true }));
  const git = (...args: string[]): string =>
    spawnSync("git", args, { cwd: copy, encoding: "utf8" }).stdout.trimEnd();
  git("init", "--quiet");
  git("add", "--all");

  return {
    copy,
    /** Creates the files whose path is in a heading, and inserts the lines of blocks of `diff`. */
    apply(): void {
      for (const { path, text } of createdBy(page)) {
        mkdirSync(dirname(join(copy, path)), { recursive: true });
        writeFileSync(join(copy, path), text);
      }
      for (const { path, line, added } of insertionsOf(page)) {
        const [before, after, ...others] = readFileSync(join(copy, path), "utf8").split(line);
        expect([path, line, after === undefined, others]).toEqual([path, line, false, []]);
        writeFileSync(join(copy, path), before + line + added + after);
      }
    },
    /** Runs Node in the copy. @returns what it printed */
    run(...args: string[]): string {
      const env = { ...process.env, VITEST: undefined, NODE_ENV: undefined };
      const options = { cwd: copy, encoding: "utf8", env } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
      expect(status, stdout + stderr).toBe(0);
      return stdout;
    },
    /** Returns the files that differ from the project. */
    changedFiles(): string[] {
      git("add", "--all", "--intent-to-add");
      return git("diff", "--name-only").split("\n");
    },
  };
}

const createdBy = (page: string) =>
  [...page.matchAll(/^## [^\n]*`([\w/.-]+)`\n(.*?)(?=^## )/gms)].map(
    ([, path = "", section = ""]) => ({ path, text: `${blocksOf(section)[0]?.code}\n` }),
  );

/** Reads paths, the lines that files have, and the lines to insert below them. */
const insertionsOf = (page: string) =>
  blocksOf(page)
    .filter(({ language }) => language === "diff")
    .flatMap(({ code }) => `${code}\n`.split(/^--- /m).slice(1))
    .map((text) => {
      const [path = "", line = "", ...added] = text.trimEnd().split("\n");
      return {
        path,
        line: `${line.slice(1)}\n`,
        added: added.map((one) => `${one.replace(/^\+/, "")}\n`).join(""),
      };
    });
