import { expect, test } from "vitest";
import { promiseOf, verdictOf } from "../../../bench/verdict.ts";

const row = { name: "", value: 400, unit: "MiB", reference: null, ratio: null };

test("a row is kept or not only where something was promised", () => {
  expect([promiseOf(row), verdictOf(row)]).toEqual(["", ""]);
  expect(verdictOf({ ...row, reference: 800, ratio: 0.5 })).toBe("");
  expect([promiseOf({ ...row, atMost: 512 }), verdictOf({ ...row, atMost: 512 })]).toEqual([
    "at most 512",
    "kept",
  ]);
  expect(verdictOf({ ...row, value: 513, atMost: 512 })).toBe("NOT KEPT");
});

test("where there is a ratio, the promise is about it", () => {
  expect(verdictOf({ ...row, ratio: 0.94, atLeast: 0.95 })).toBe("NOT KEPT");
  expect(verdictOf({ ...row, ratio: 0.95, atLeast: 0.95 })).toBe("kept");
  expect(verdictOf({ ...row, ratio: Number.NaN, atLeast: 0.95 })).toBe("NOT KEPT");
});
