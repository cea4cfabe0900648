import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { ROOT } from "../components/shared/state.ts";
import { UserError } from "../contract/errors.ts";
import { comparePrograms } from "../stack/preview-report/compare-programs.ts";
import { changedDdl, changedPictures, parseNameStatus } from "../stack/preview-report/files.ts";
import { renderReport } from "../stack/preview-report/markdown.ts";
import { type ReadText, readProgram } from "../stack/preview-report/program.ts";
import { compareSchemas } from "../stack/preview-report/schema.ts";

export function registerPreviewReport(program: Command): void {
  program
    .command("preview-report")
    .requiredOption("--base <commit>", "target branch or commit of the change")
    .option("--files-url <url>", "URL of the changed files, for pictures of dashboards")
    .description("Print the working copy's changes to the stack as Markdown; starts nothing")
    .action(({ base, filesUrl }: { readonly base: string; readonly filesUrl?: string }) => {
      process.stdout.write(reportAgainst(base, filesUrl));
    });
}

/** Reports against the merge base, which excludes later commits of the base. */
function reportAgainst(base: string, filesUrl: string | undefined): string {
  const commit = git("merge-base", "HEAD", base).trim();
  const files = parseNameStatus(git("diff", "--name-status", "--no-renames", commit));
  const before: ReadText = (path) => textAt(commit, path);
  const after: ReadText = (path) =>
    existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : undefined;
  const sources = { files: files.map(({ path }) => path), read: after };
  return renderReport({
    changes: comparePrograms(readProgram(before), readProgram(after), sources),
    schema: compareSchemas(before, after, changedDdl(files)),
    pictures: changedPictures(files),
    filesUrl,
  });
}

const GIT = { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;

function git(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("git", args, GIT);
  if (status === 0) return stdout;
  throw new UserError(
    `git ${args.join(" ")} failed: ${(error?.message ?? stderr).trim()}`,
    "pass --base a branch or commit of this repository, with its history fetched",
  );
}

function textAt(commit: string, path: string): string | undefined {
  const { status, stdout } = spawnSync("git", ["show", `${commit}:${path}`], GIT);
  return status === 0 ? stdout : undefined;
}
