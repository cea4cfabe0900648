import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { confirmDeletion } from "../../../stack/lifecycle/confirm-deletion.ts";
import { confirm } from "../../../terminal/confirm.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe("before the deletion of a stack", () => {
  test("a person is asked, and the answer no deletes nothing", async () => {
    const ask = vi.fn().mockResolvedValue(false);
    await expect(confirmDeletion("dev", {}, ask)).rejects.toThrow("Nothing was deleted");
    expect(ask).toHaveBeenCalledWith("Delete the stack dev with its data and secrets?");
    await confirmDeletion("dev", {}, ask.mockResolvedValue(true));
  });

  test("YES=1 and a shell without a terminal are not asked", async () => {
    const ask = vi.fn();
    await confirmDeletion("dev", { YES: "1" }, ask);
    expect(ask).not.toHaveBeenCalled();
    await confirmDeletion("dev", {}, undefined);
  });
});

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
