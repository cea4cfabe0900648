import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { makeFolder } from "../../../contract/files.ts";
import { emptyRoot, fileOf } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
const { changedText, initialText, writeStackFile } = await import(
  "../../../stack/lifecycle/stack-file.ts"
);

const root = emptyRoot();
const write = (name: string, text: string) => writeFileSync(join(root(), name), text);

const OFFSET = [["network.portOffset", 5]] as const;

test("a changed block keeps its other settings, wherever they are written", () => {
  const text = `config:\n  event-pipeline:network: '{"bind":"0.0.0.0"}'\n`;
  // Also from the project's file, whose block this one replaces.
  for (const before of [text, ""]) {
    const values = new Map([["network", { text: '{"bind":"0.0.0.0"}', isEncrypted: false }]]);
    expect(parse(changedText(before, values, OFFSET)).config).toEqual({
      "event-pipeline:network": { bind: "0.0.0.0", portOffset: 5 },
    });
  }
});

describe("a new stack", () => {
  test.each([
    ["an example", "offline", "config/offline.yaml"],
    ["the configuration of another stack", "one", "Pulumi.one.yaml"],
    ["a file", "my.yaml", "my.yaml"],
  ])("copies %s", (_, config, file) => {
    makeFolder(join(root(), "config"));
    write(file, "config:\n  event-pipeline:mode: live # kept\n");
    writeStackFile("new", changedText(initialText("new", config), new Map(), OFFSET));
    expect(readFileSync(fileOf("new"), "utf8")).toBe(
      "config:\n  event-pipeline:mode: live # kept\n  event-pipeline:network:\n    portOffset: 5\n",
    );
  });

  test("has no settings without a configuration, and needs a given one to exist", () => {
    expect(changedText(initialText("new", undefined), new Map(), [])).toBe("");
    const text = changedText("", new Map(), OFFSET);
    expect(parse(text)).toEqual({ config: { "event-pipeline:network": { portOffset: 5 } } });
    const missing = /no configuration .*config\/offlin\.yaml/;
    expect(() => initialText("new", "offlin")).toThrow(missing);
  });
});

test("a stack with a file keeps it, with its comments, and refuses another one", () => {
  makeFolder(join(root(), "config"));
  for (const file of ["config/offline.yaml", "my.yaml"]) write(file, "config: {}\n");
  const text = "config:\n  event-pipeline:mode: bare # kept\n";
  write("Pulumi.offline.yaml", text);
  for (const config of [undefined, "offline", "Pulumi.offline.yaml"]) {
    expect(initialText("offline", config)).toBe(text);
  }
  expect(changedText(text, new Map(), OFFSET)).toContain("bare # kept\n");
  expect(() => initialText("offline", "my.yaml")).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("The stack offline already has the configuration"),
      hint: expect.stringContaining("make up STACK=<name> CONFIG=my.yaml"),
    }),
  );
});
