import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { cleanEnvironment, pipeline } from "../support/cli.ts";
import { copyProject } from "../support/copy-project.ts";
import { COMMAND_PAGES, shellBlocks } from "../support/page-blocks.ts";
import { runBlocks } from "../support/page-commands.ts";
import { useFolder } from "../support/use-folder.ts";

const folder = useFolder("how-to");
const state = { EVENT_PIPELINE_STATE: join(folder, "state") };
/** Few events, because only the commands are tested. */
const env = { ...cleanEnvironment(), ...state, RATE: "2" };

/** Pages assume a reader who has run `make demo`. */
beforeAll(() => {
  const report = ["--report", join(folder, "report.html")];
  const { status, stderr } = pipeline(["demo", "--days", "1", "--rate", "2", ...report], state);
  expect(status, stderr).toBe(0);
});

/** `tutorial.test.ts` runs the other pages. */
const pages = COMMAND_PAGES.filter((page) => page.startsWith("docs/how-to/"))
  .map((page) => ({ page, blocks: shellBlocks(page, "here") }))
  .filter(({ blocks }) => blocks.length > 0);

test("the pages have commands that need no Docker", () => {
  expect(pages.map(({ page }) => page)).toContain("docs/how-to/load-your-own-clickstream.md");
});

test.each(pages)("the commands of $page work", async ({ blocks }) => {
  const own = blocks.map((block) => ({
    ...block,
    code: block.code.replaceAll("/tmp/", `${folder}/`),
  }));
  await runBlocks(own, env);
});

test("the commands that change the checkout work, and change nothing in an unchanged one", () => {
  const blocks = COMMAND_PAGES.flatMap((page) => shellBlocks(page, "copy"));
  const lines = new Set(blocks.flatMap(({ code }) => code.split("\n")));
  expect(lines).toContain("npm run record-schema");
  const copy = copyProject("how-to-copy-");
  const git = (...args: string[]): string =>
    spawnSync("git", args, { cwd: copy, encoding: "utf8" }).stdout;
  git("init", "--quiet");
  git("add", "--all");
  for (const line of lines) {
    const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", line], {
      cwd: copy,
      env,
      encoding: "utf8",
    });
    expect(status, `${line}\n${stdout}\n${stderr}`).toBe(0);
  }
  expect(git("diff", "--stat")).toBe("");
  rmSync(copy, { recursive: true, force: true });
});
