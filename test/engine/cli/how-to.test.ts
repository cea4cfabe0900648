/** @module-tag slow */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanEnvironment, pipeline } from "../../support/cli.ts";
import { blocksOf, ROOT, runBlocks } from "../../support/page-commands.ts";

const folder = mkdtempSync(join(tmpdir(), "how-to-"));
const state = { EVENT_PIPELINE_STATE: join(folder, "state") };
/** Few events: the commands are what is tested. */
const env = { ...cleanEnvironment(), ...state, RATE: "2" };

/** Pages assume a reader who has run `make demo`. */
beforeAll(() => {
  const report = ["--report", join(folder, "report.html")];
  const { status, stderr } = pipeline(["demo", "--days", "1", "--rate", "2", ...report], state);
  expect(status, stderr).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = globSync("docs/how-to/**/*.md", { cwd: ROOT })
  .toSorted()
  .map((page) => ({
    page,
    blocks: blocksOf(readFileSync(join(ROOT, page), "utf8")).filter(
      ({ language }) => language === "sh",
    ),
  }))
  .filter(({ blocks }) => blocks.length > 0);

test("the pages have commands that need no Docker", () => {
  expect(pages.map(({ page }) => page)).toContain("docs/how-to/load-your-own-clickstream.md");
});

test.each(pages)("the commands of $page work", async ({ blocks }) => {
  const own = blocks.map(({ language, code }) => ({
    language,
    code: code.replaceAll("/tmp/my-data", join(folder, "my-data")),
  }));
  await runBlocks(own, env);
});
