import { hostname } from "node:os";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runOperation } from "../../../stack/lifecycle/run.ts";
import { fakeStack, lockedBy } from "./fake-stack.ts";

// Waits return at once, but advance the clock.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}));

let stack: ReturnType<typeof fakeStack>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  stack = fakeStack("dev");
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const run = (operation: () => Promise<unknown>) =>
  runOperation(stack as unknown as Stack, operation);

/** Above the greatest process id of Linux. */
const DEAD = 4_194_305;

test("releases a lock of a killed process of this machine", async () => {
  const operation = vi.fn().mockRejectedValueOnce(lockedBy(hostname(), DEAD)).mockResolvedValue(1);
  expect(await run(operation)).toBe(1);
  expect(stack.done).toEqual(["cancel"]);
});

test("releases a lock of a killed process that has not ended yet", async () => {
  const kill = vi.spyOn(process, "kill").mockReturnValueOnce(true).mockReturnValueOnce(true);
  const operation = vi.fn().mockRejectedValueOnce(lockedBy(hostname(), DEAD)).mockResolvedValue(1);
  expect(await run(operation)).toBe(1);
  expect(kill).toHaveBeenCalledTimes(3);
  expect(stack.done).toEqual(["cancel"]);
});

test.each([
  ["a process that runs", hostname(), process.pid],
  ["another machine", "elsewhere", DEAD],
])("reports a lock of %s and keeps it", async (_, host, pid) => {
  await expect(run(() => Promise.reject(lockedBy(host, pid)))).rejects.toMatchObject({
    message: `Another command works on the stack dev (process ${pid} on ${host})`,
    hint: expect.stringContaining("pulumi cancel --stack dev"),
  });
  expect(stack.done).toEqual([]);
});

test("any other failure is passed on", async () => {
  await expect(run(() => Promise.reject(new Error("other")))).rejects.toThrow("other");
});
