import { hostname } from "node:os";
import { ConcurrentUpdateError, type Stack } from "@pulumi/pulumi/automation/index.js";
import { beforeEach, expect, test, vi } from "vitest";
import { runOperation } from "../../../pipeline/stack/manage/run.ts";
import { fakeStack } from "./fake-stack.ts";

let stack: ReturnType<typeof fakeStack>;
beforeEach(() => {
  stack = fakeStack("dev");
});

/** What Pulumi prints about a lock. */
const lockedBy = (host: string, pid: number): ConcurrentUpdateError => {
  const text = `error: the stack is currently locked by 1 lock(s).\n  file:///x.json: created by me@${host} (pid ${pid}) at 2026-11-23T10:00:00Z`;
  return Object.assign(Object.create(ConcurrentUpdateError.prototype), { message: text });
};

const run = (operation: () => Promise<unknown>) =>
  runOperation(stack as unknown as Stack, operation);

/** Above the greatest process id of Linux. */
const DEAD = 4_194_305;

test("a lock of a process that was killed on this machine is released", async () => {
  const operation = vi.fn().mockRejectedValueOnce(lockedBy(hostname(), DEAD)).mockResolvedValue(1);
  expect(await run(operation)).toBe(1);
  expect(stack.done).toEqual(["cancel"]);
});

test.each([
  ["a process that runs", hostname(), process.pid],
  ["another machine", "elsewhere", DEAD],
])("a lock of %s is reported and kept", async (_, host, pid) => {
  await expect(run(() => Promise.reject(lockedBy(host, pid)))).rejects.toMatchObject({
    message: `Another command works on the stack dev (process ${pid} on ${host}).`,
    next: expect.stringContaining("pulumi cancel --stack dev"),
  });
  expect(stack.done).toEqual([]);
});

test("any other failure is passed on", async () => {
  await expect(run(() => Promise.reject(new Error("other")))).rejects.toThrow("other");
});
