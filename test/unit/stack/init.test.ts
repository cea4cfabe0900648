import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { ownState } from "./own-state.ts";

vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  isRecorded: async () => true,
  pulumiText: async () => "",
}));
const { init } = await import("../../../pipeline/stack/manage/init.ts");
const { configBlocks } = await import("../../../pipeline/stack/manage/choices.ts");
const { previewWith } = await import("../../../pipeline/stack/manage/preview-of.ts");

const folder = ownState();

const offsetOf = (stack: string): number =>
  parseStackConfig(configBlocks(stack)).network.portOffset;

test("a second stack gets other ports than the first", async () => {
  await init("dev");
  await init("two");
  expect(offsetOf("dev")).toBe(0);
  expect(offsetOf("two")).toBe(1000);
});

test("a stack whose first start was refused stands in nobody's way", async () => {
  mkdirSync(join(folder(), "stacks/refused"), { recursive: true });
  await init("dev");
  expect(offsetOf("dev")).toBe(0);
});

test("neither does one whose configuration has gone, or is wrong", async () => {
  const files = ["gone", "wrong"].map((name) => join(folder(), `${name}.yaml`));
  const [gone = "", wrong = ""] = files;
  for (const file of files) writeFileSync(file, "config: {}\n");
  await init("gone", { config: gone });
  await init("wrong", { config: wrong });
  rmSync(gone);
  writeFileSync(wrong, "config: {event-pipeline:network: {portOffset: -1}}\n");
  await init("dev");
  expect(offsetOf("dev")).toBe(0);
});

test("a preview of a new stack that is refused leaves the others as they were", async () => {
  await expect(previewWith("new", { config: "none.yaml" })).rejects.toThrow("no configuration");
  await init("dev");
  expect(offsetOf("dev")).toBe(0);
});
