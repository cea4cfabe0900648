import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyMutation, readMutations } from "../../../scripts/sql-mutations.ts";
import { SQL_ROOT } from "../../../warehouse/sql.ts";

const mutations = readMutations();

test.each(mutations)("$file can be changed so that $breaks", (mutation) => {
  const sql = readFileSync(join(SQL_ROOT, mutation.file), "utf8");
  expect(applyMutation(sql, mutation)).not.toBe(sql);
});

test("there are at least 60 mutations, none of them twice", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(60);
  const texts = mutations.map(({ file, find, replace }) => `${file} ${find} ${replace}`);
  expect(new Set(texts).size).toBe(texts.length);
});
