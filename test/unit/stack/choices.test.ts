import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  configBlocks,
  readChoices,
  rememberChoices,
  writeChoices,
} from "../../../pipeline/stack/manage/choices.ts";
import { ownState } from "./own-state.ts";

const folder = ownState();

describe("what was decided for a stack", () => {
  test("is put back when the change was refused", () => {
    writeChoices("one", { base: "dev", portOffset: 1000 });
    const undo = rememberChoices("one");
    writeChoices("one", { base: "offline", portOffset: 2000 });
    undo();
    expect(readChoices("one")).toEqual({ base: "dev", portOffset: 1000 });
  });

  test("is nothing again when the first start was refused", () => {
    const undo = rememberChoices("one");
    writeChoices("one", { base: "offline" });
    undo();
    expect(readChoices("one")).toEqual({ base: "one" });
  });

  test.each([
    ["broker: {port: 70000}", "broker"],
    ["event-pipelin:database: {}", "event-pipelin:database"],
  ])("starts from no configuration with a key that would go unheard (%s)", (line, key) => {
    const file = join(folder(), "own.yaml");
    writeFileSync(file, `config:\n  ${line}\n`);
    writeChoices("one", { base: file });
    expect(() => configBlocks("one")).toThrow(`${file} sets ${key}; every key begins with`);
  });
});
