import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pipeline } from "../support/cli.ts";

const root = mkdtempSync(join(tmpdir(), "scenario-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("scenario --answers prints what happened, and runs nothing", () => {
  const database = join(root, "data");
  const { status, stdout } = pipeline([
    "scenario",
    "checkout-bug",
    "--answers",
    "--database",
    database,
  ]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Sales are down: what a good analyst notices\n {2}- .*\n/);
  expect(stdout).toContain("14:07 UTC");
  expect(stdout).toMatch(/Statements that show it:\n {2}.*query "SELECT /);
  expect(existsSync(database)).toBe(false);
});
