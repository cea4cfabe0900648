import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "../../../terminal/confirm.ts";

test.each([
  ["y\n", true],
  ["Yes\n", true],
  ["\n", false],
  ["n\n", false],
  ["yesterday\n", false],
])("the answer %j is %s", async (answer, expected) => {
  const input = new PassThrough();
  const reply = confirm("Sure?", input, new PassThrough());
  input.write(answer);
  expect(await reply).toBe(expected);
});

test("the end of the input means no", async () => {
  const input = new PassThrough();
  const reply = confirm("Sure?", input, new PassThrough());
  input.end();
  expect(await reply).toBe(false);
});
