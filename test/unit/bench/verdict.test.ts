import { expect, test } from "vitest";
import { limitOf, verdictOf } from "../../../bench/verdict.ts";

const row = { name: "", value: 400, unit: "MiB" };

test("only a row with a limit passes or fails", () => {
  expect([limitOf(row), verdictOf(row)]).toEqual(["", ""]);
  expect(verdictOf({ ...row, reference: 800, ratio: 0.5 })).toBe("");
  expect([limitOf({ ...row, atMost: 512 }), verdictOf({ ...row, atMost: 512 })]).toEqual([
    "at most 512",
    "kept",
  ]);
  expect(verdictOf({ ...row, value: 513, atMost: 512 })).toBe("NOT KEPT");
});

test("a row with a ratio compares it with the limit", () => {
  expect(verdictOf({ ...row, ratio: 0.94, atLeast: 0.95 })).toBe("NOT KEPT");
  expect(verdictOf({ ...row, ratio: 0.95, atLeast: 0.95 })).toBe("kept");
  expect(verdictOf({ ...row, ratio: Number.NaN, atLeast: 0.95 })).toBe("NOT KEPT");
});
