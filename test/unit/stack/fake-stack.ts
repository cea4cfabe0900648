import { ConcurrentUpdateError } from "@pulumi/pulumi/automation/index.js";
import { vi } from "vitest";

interface PreviewOptions {
  readonly onEvent: (event: object) => void;
}

/** A Pulumi stack that does nothing and records the requests. */
export function fakeStack(name: string) {
  const deployment: { resources: object[]; pending_operations: object[] } = {
    resources: [],
    pending_operations: [],
  };
  const done: string[] = [];
  const does = (operation: string) => vi.fn(async () => void done.push(operation));
  return {
    name,
    done,
    deployment,
    exportStack: async () => ({ version: 3, deployment }),
    up: does("up"),
    refresh: does("refresh"),
    preview: vi.fn(async (_: PreviewOptions) => ({ stdout: "" })),
    destroy: does("destroy"),
    cancel: does("cancel"),
  };
}

/** Pulumi's output about a lock. */
export const lockedBy = (host: string, pid: number): ConcurrentUpdateError => {
  const text = `error: the stack is currently locked by 1 lock(s).\n  file:///x.json: created by me@${host} (pid ${pid}) at 2026-11-23T10:00:00Z`;
  return Object.assign(Object.create(ConcurrentUpdateError.prototype), { message: text });
};
