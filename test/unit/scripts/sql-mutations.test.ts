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

test("the docs have the number of mutations, and that of the last run", () => {
  const text = (page: string) => readFileSync(join(import.meta.dirname, "../../..", page), "utf8");
  const page = text("docs/verification.md");
  expect(page).toContain(`lists ${mutations.length} changes to the SQL`);
  const [, found, tried] = /found (\d+) of (\d+)/.exec(page.replace(/\s+/g, " ")) ?? [];
  const last = [...text("bench/results/sql-mutations.md").matchAll(/(\d+) of (\d+) \w+/g)].at(-1);
  expect([found, tried]).toEqual([last?.[1], last?.[2]]);
});

test("there are at least 60 mutations, without repeats", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(60);
  const texts = mutations.map(({ file, find, replace }) => `${file} ${find} ${replace}`);
  expect(new Set(texts).size).toBe(texts.length);
});
