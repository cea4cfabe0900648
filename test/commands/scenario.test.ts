import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("scenario");

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
