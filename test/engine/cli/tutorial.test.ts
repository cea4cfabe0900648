/** @module-tag slow */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cleanEnvironment } from "../../support/cli.ts";
import { blocksOf, ROOT, runBlocks } from "../../support/page-commands.ts";

const state = mkdtempSync(join(tmpdir(), "tutorial-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** One day instead of seven: the commands are what is tested. */
const env = { ...cleanEnvironment(), EVENT_PIPELINE_STATE: state, DAYS: "1", RATE: "2" };

test("every command and query of the tutorial works, as far as none needs Docker", async () => {
  const text = readFileSync(join(ROOT, "docs/tutorial/first-hour.md"), "utf8");
  const [embedded = ""] = text.split("## 4.");
  const blocks = blocksOf(embedded);
  expect(blocks.length).toBeGreaterThan(5);
  await runBlocks(blocks, env);
});
