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
const { configWith, copyConfig, projectValues, refusePreviousLayout, stackFile } = await import(
  "../../../stack/lifecycle/stack-file.ts"
);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stack-file-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(root, name), text);

test("a stack without a file has nothing set", () => {
  expect(projectValues("dev")).toEqual(new Map());
});

test("settings of the project are read as the text that Pulumi hands to the program", () => {
  write(
    "Pulumi.dev.yaml",
    "config:\n  other:key: 1\n  event-pipeline:mode: bare\n  event-pipeline:brokerPassword:\n    secure: x\n",
  );
  expect(projectValues("dev").get("mode")).toEqual({ text: "bare", isEncrypted: false });
  expect(projectValues("dev").get("brokerPassword")?.isEncrypted).toBe(true);
  expect([...projectValues("dev").keys()]).toEqual(["mode", "brokerPassword"]);
});

test("a block that is written as JSON text keeps its other settings", () => {
  write("Pulumi.dev.yaml", `config:\n  event-pipeline:network: '{"bind":"0.0.0.0"}'\n`);
  const text = configWith("dev", undefined, [["network.portOffset", 5]]);
  expect(parse(text).config).toEqual({
    "event-pipeline:network": { bind: "0.0.0.0", portOffset: 5 },
  });
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
  expect(projectValues("one").get("mode")?.text).toBe("bare");
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
