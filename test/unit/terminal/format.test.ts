import { expect, test } from "vitest";
import { renderTable, wrapText } from "../../../terminal/format.ts";

const widths = (text: string): number[] => text.split("\n").map((line) => line.length);

test("a table narrows its widest column and keeps the whole text", () => {
  const long = "abcdefghij".repeat(8);
  const text = renderTable(["name", "value"], [["short", long]], 60);
  expect(Math.max(...widths(text))).toBe(60);
  expect(text.replace(/[^a-j]/g, "")).toContain(long.slice(0, 20));
  expect(text.split("\n").join("").match(/[a-j]/g)?.length).toBeGreaterThanOrEqual(long.length);
});

test("a table without a limit is as wide as its cells", () => {
  expect(widths(renderTable(["n"], [["x".repeat(200)]]))[1]).toBe(204);
});

test("text breaks after commas and spaces, and inside a word that is too long", () => {
  expect(wrapText("ab,cd,ef", 6)).toEqual(["ab,cd,", "ef"]);
  expect(wrapText("ab cd", 3)).toEqual(["ab ", "cd"]);
  expect(wrapText("abcdefg", 3)).toEqual(["abc", "def", "g"]);
  expect(wrapText("", 3)).toEqual([]);
});
