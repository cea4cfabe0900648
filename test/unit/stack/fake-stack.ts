import { vi } from "vitest";

/** A stack of Pulumi that does nothing and keeps what it was asked for. */
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
    setConfig: vi.fn(async () => undefined),
    up: does("up"),
    refresh: does("refresh"),
    preview: vi.fn<(options: { onEvent: (event: object) => void }) => Promise<void>>(),
    destroy: does("destroy"),
    cancel: does("cancel"),
    workspace: { removeStack: does("remove") },
  };
}
