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
