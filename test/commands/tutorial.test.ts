import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnvironment } from "../support/cli.ts";
import { blocksOf, ROOT } from "../support/page-blocks.ts";
import { runBlocks } from "../support/page-commands.ts";
import { useFolder } from "../support/use-folder.ts";

const state = useFolder("tutorial");

/** One day instead of seven, because only the commands are tested. */
const env = { ...cleanEnvironment(), EVENT_PIPELINE_STATE: state, DAYS: "1", RATE: "2" };

test("every command and query of the tutorial works and prints what the page shows, except those that need Docker", async () => {
  const text = readFileSync(join(ROOT, "docs/tutorial/first-hour.md"), "utf8");
  const own = text.replaceAll("/tmp/first-hour", join(state, "my-data"));
  const blocks = blocksOf(own).filter(({ place }) => place === "here");
  expect(blocks.filter(({ language }) => language === "text").length).toBe(2);
  expect(blocks.length).toBeGreaterThan(10);
  await runBlocks(blocks, env);
});
