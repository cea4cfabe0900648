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

test("a table that is too wide for the terminal loses spaces before text", () => {
  const head = ["stream", "generated", "in stg", "typed", "rejected", "waiting", "unaccounted"];
  const row = ["location", 1_320_781, 1_320_781, 1_320_435, 346, 0, 0, "accounted"];
  const text = renderTable([...head, "verdict"], [row], 80);
  expect(Math.max(...widths(text))).toBeLessThanOrEqual(80);
  expect(text).toContain("│location│1,320,781│1,320,781│1,320,435│");
});

test("a table of many columns wraps several", () => {
  const words = ["x".repeat(30), "y".repeat(25), "z".repeat(20)];
  expect(Math.max(...widths(renderTable(words, [words], 50)))).toBe(50);
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
