import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { makeFolder } from "../../../contract/files.ts";
import { emptyRoot, fileOf } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
const { configWith, projectValues, writeStackFile } = await import(
  "../../../stack/lifecycle/stack-file.ts"
);

const root = emptyRoot();
const write = (name: string, text: string) => writeFileSync(join(root(), name), text);

test("a stack without a file has no settings", () => {
  expect(projectValues("dev")).toEqual(new Map());
});

test("settings of the project are read as the text that Pulumi passes to the program", () => {
  write(
    "Pulumi.dev.yaml",
    "config:\n  other:key: 1\n  event-pipeline:mode: bare\n  event-pipeline:kafkaPassword:\n    secure: x\n",
  );
  expect(projectValues("dev").get("mode")).toEqual({ text: "bare", isEncrypted: false });
  expect(projectValues("dev").get("kafkaPassword")?.isEncrypted).toBe(true);
  expect([...projectValues("dev").keys()]).toEqual(["mode", "kafkaPassword"]);
});

test("a block written as JSON text keeps its other settings", () => {
  write("Pulumi.dev.yaml", `config:\n  event-pipeline:network: '{"bind":"0.0.0.0"}'\n`);
  const text = configWith("dev", undefined, [["network.portOffset", 5]]);
  expect(parse(text).config).toEqual({
    "event-pipeline:network": { bind: "0.0.0.0", portOffset: 5 },
  });
});

describe("a new stack", () => {
  test.each([
    ["an example", "offline", "config/offline.yaml"],
    ["the configuration of another stack", "one", "Pulumi.one.yaml"],
    ["a file", "my.yaml", "my.yaml"],
  ])("copies %s", (_, config, file) => {
    makeFolder(join(root(), "config"));
    write(file, "config:\n  event-pipeline:mode: live # kept\n");
    writeStackFile("new", configWith("new", config, [["network.portOffset", 5]]));
    expect(readFileSync(fileOf("new"), "utf8")).toBe(
      "config:\n  event-pipeline:mode: live # kept\n  event-pipeline:network:\n    portOffset: 5\n",
    );
  });

  test("has no settings without a configuration, and needs a given one to exist", () => {
    expect(configWith("new", undefined, [])).toBe("");
    const text = configWith("new", undefined, [["network.portOffset", 5]]);
    expect(parse(text)).toEqual({ config: { "event-pipeline:network": { portOffset: 5 } } });
    const missing = /no configuration .*config\/offlin\.yaml/;
    expect(() => configWith("new", "offlin", [])).toThrow(missing);
  });
});

test("a stack with a file keeps it, with its comments, and refuses another one", () => {
  makeFolder(join(root(), "config"));
  for (const file of ["config/offline.yaml", "my.yaml"]) write(file, "config: {}\n");
  const text = "config:\n  event-pipeline:mode: bare # kept\n";
  write("Pulumi.offline.yaml", text);
  for (const config of [undefined, "offline", "Pulumi.offline.yaml"]) {
    expect(configWith("offline", config, [])).toBe(text);
  }
  expect(configWith("offline", undefined, [["network.portOffset", 5]])).toContain("bare # kept\n");
  expect(() => configWith("offline", "my.yaml", [])).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("The stack offline already has the configuration"),
      hint: expect.stringContaining("make up STACK=<name> CONFIG=my.yaml"),
    }),
  );
});
