import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeStack } from "./fake-stack.ts";

let root: string;
let stack: ReturnType<typeof fakeStack>;
vi.mock("../../../components/shared/state.ts", async (original) => ({
  ...(await original<object>()),
  get ROOT() {
    return root;
  },
}));
vi.mock("../../../stack/lifecycle/owned.ts", () => ({ owned: async () => [] }));
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({ openStack: async () => stack }));
const { previewWith } = await import("../../../stack/lifecycle/run-preview.ts");

const file = (name: string) => join(root, `Pulumi.${name}.yaml`);
const BEFORE = "config:\n  event-pipeline:mode: live # kept\n";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "preview-"));
  writeFileSync(file("dev"), BEFORE);
  stack = fakeStack("dev");
  stack.setConfig.mockImplementation(async () => {
    writeFileSync(file("dev"), "config:\n  event-pipeline:mode: bare\n");
    return undefined;
  });
});
afterEach(() => rmSync(root, { recursive: true }));

const refused = () => stack.preview.mockRejectedValue(new Error("port taken"));

test("a refused preview leaves the configuration file as it was", async () => {
  refused();
  await expect(previewWith("dev", { mode: "bare" })).rejects.toThrow("port taken");
  expect(stack.setConfig).toHaveBeenCalledOnce();
  expect(readFileSync(file("dev"), "utf8")).toBe(BEFORE);
});

test("a refused preview of a new stack leaves no configuration file", async () => {
  refused();
  stack = Object.assign(stack, { name: "new" });
  await expect(previewWith("new", { config: "dev" })).rejects.toThrow("port taken");
  expect(existsSync(file("new"))).toBe(false);
});

test("a preview that is allowed keeps the settings given", async () => {
  await previewWith("dev", { mode: "bare" });
  expect(readFileSync(file("dev"), "utf8")).toContain("mode: bare");
});
