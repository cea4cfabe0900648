import { beforeEach, expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

const executed = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/process.ts", () => ({ execute: executed }));
vi.mock("../../../pipeline/stack/manage/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/bin/pulumi",
}));
const { isRecorded } = await import("../../../pipeline/stack/manage/pulumi.ts");

ownState();
beforeEach(() => {
  vi.stubEnv("PULUMI_BACKEND_URL", "https://backend.example");
  executed.mockReset();
});

test.each([
  ["one", true],
  ["two", true],
  ["on", false],
])("a backend of the user's own is asked for its stacks (%s)", async (stack, isThere) => {
  const stdout = JSON.stringify([{ name: "one" }, { name: "organisation/two" }]);
  executed.mockResolvedValue({ code: 0, stdout, stderr: "" });
  expect(await isRecorded(stack)).toBe(isThere);
});

test("one that does not answer is an error, not a stack that is not there", async () => {
  executed.mockResolvedValue({ code: 255, stdout: "", stderr: "connection refused" });
  await expect(isRecorded("one")).rejects.toThrow("connection refused");
});
