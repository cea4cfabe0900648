import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parse } from "yaml";

let root: string;
vi.mock("../../../components/shared/state.ts", async (original) => ({
  ...(await original<object>()),
  get ROOT() {
    return root;
  },
  stackFolder: (stack: string) => join(root, ".state", stack),
}));
const { configBlocks, copyConfig, encryptedKeys, refusePreviousLayout, stackFile } = await import(
  "../../../stack/lifecycle/stack-file.ts"
);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stack-file-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(root, name), text);

test("a stack without a file has nothing set", () => {
  expect(configBlocks("dev")).toEqual({});
});

test("settings are read, encrypted ones only by name", () => {
  write(
    "Pulumi.dev.yaml",
    "config:\n  other:key: 1\n  event-pipeline:mode: bare\n  event-pipeline:brokerPassword:\n    secure: x\n",
  );
  expect(configBlocks("dev")).toEqual({ mode: "bare" });
  expect(encryptedKeys("dev")).toEqual(["brokerPassword"]);
});

test("a new stack copies a configuration without its encryption", () => {
  write("Pulumi.offline.yaml", "encryptionsalt: v1\nconfig:\n  event-pipeline:mode: live\n");
  expect(copyConfig("one", "offline")).toBe(true);
  expect(parse(readFileSync(stackFile("one"), "utf8"))).toEqual({
    config: { "event-pipeline:mode": "live" },
  });
});

test("a stack with a file keeps it", () => {
  write("Pulumi.offline.yaml", "config:\n  event-pipeline:mode: live\n");
  write("Pulumi.one.yaml", "config:\n  event-pipeline:mode: bare\n");
  expect(copyConfig("one", "offline")).toBe(false);
  expect(configBlocks("one")).toEqual({ mode: "bare" });
});

test("a configuration that is not there is named", () => {
  expect(() => copyConfig("one", "offlin")).toThrow(/no configuration .*Pulumi\.offlin\.yaml/);
  expect(existsSync(stackFile("one"))).toBe(false);
});

test("a stack of an earlier version is refused with the way to move it", () => {
  mkdirSync(join(root, ".state/dev"), { recursive: true });
  write(".state/dev/choices.json", "{}");
  expect(() => refusePreviousLayout("dev")).toThrow(/of an earlier version.*Pulumi\.dev\.yaml/);
});
