import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { ownState } from "./own-state.ts";

const upped = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/up.ts", () => ({ up: upped }));
const { configBlocks, writeChoices } = await import("../../../pipeline/stack/manage/choices.ts");
const { accept } = await import("../../../pipeline/stack/manage/guarded.ts");
const { configFile } = await import("../../../pipeline/stack/manage/pulumi.ts");
const { rotateBiKey } = await import("../../../pipeline/stack/manage/rotate.ts");

const state = ownState();
const generation = (): unknown =>
  (configBlocks("dev").bi as { secretKeyGeneration?: number } | undefined)?.secretKeyGeneration;

beforeEach(() => {
  upped.mockReset();
  accept("dev");
});

test("a rotation that failed makes no third key, however often it is repeated", async () => {
  upped.mockRejectedValue(new Error("the Docker engine does not answer"));
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(rotateBiKey("dev")).rejects.toThrow("does not answer");
  }
  expect(generation()).toBe(2);
  upped.mockResolvedValue("bare");
  await rotateBiKey("dev");
  expect(generation()).toBe(2);
  await rotateBiKey("dev");
  expect(generation()).toBe(3);
});

test("without Superset the key is left alone: nothing would be encrypted with another", async () => {
  const base = join(state(), "without-bi.yaml");
  writeFileSync(base, "config:\n  event-pipeline:bi:\n    enabled: false\n");
  writeChoices("dev", { base });
  await expect(rotateBiKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("bi.enabled: false"),
    next: expect.stringContaining("make up STACK=dev"),
  });
  expect(generation()).toBeUndefined();
  expect(upped).not.toHaveBeenCalled();
});

test("a key that the configuration sets is left alone: a generated one would not be used", async () => {
  mkdirSync(dirname(configFile("dev")), { recursive: true });
  writeFileSync(configFile("dev"), "config:\n  event-pipeline:biSecretKey:\n    secure: v1:x\n");
  await expect(rotateBiKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("sets biSecretKey"),
    next: expect.stringContaining("biPreviousSecretKey"),
  });
  expect(generation()).toBeUndefined();
});

test("a stack that never was up has no key to change", async () => {
  await expect(rotateBiKey("other")).rejects.toThrow("has no secrets yet");
});
