import { expect, test } from "vitest";
import { faultsOf } from "../../support/markup.ts";

test("a valid page has no fault", () => {
  const page =
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><style>a { color: red }</style></head><body><a href="#x" id="x">1 &lt; 2 &amp; 3</a><svg><path d="M0 0"/></svg></body></html>';
  expect(faultsOf(page)).toEqual([]);
});

test.each([
  ["<p>a", "not closed"],
  ["<p><b>a</p></b>", "closes"],
  ["<p>1 < 2</p>", "no tag"],
  ["<p>a & b</p>", "stray ampersand"],
  ['<p id="a"></p><p id="a"></p>', "twice"],
  ['<p id="a" id="b"></p>', "id twice"],
  ["<script>1</script>", "not allowed"],
  ['<p onclick="x"></p>', "handler"],
  ['<img src="https://example.com/a.png">', "src"],
  ['<a href="https://example.com">a</a>', "href"],
  ['<p style="background: url(a.png)"></p>', "style"],
  ["<style>@import 'a.css';</style>", "style sheet"],
])("finds the fault of %s", (page, fault) => {
  expect(faultsOf(page).join("\n")).toContain(fault);
});
