import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { completeSecrets } from "../../../pipeline/stack/secrets.ts";
import { ownState } from "./own-state.ts";

const upped = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/up.ts", () => ({ up: upped }));
const { writeChoices } = await import("../../../pipeline/stack/manage/choices.ts");
const { rotateBiKey } = await import("../../../pipeline/stack/manage/rotate.ts");

const state = ownState();
const file = () => join(state(), "stacks/dev/secrets.json");
const keys = (): { biSecretKey: string; biPreviousSecretKey: string } =>
  JSON.parse(readFileSync(file(), "utf8"));

beforeEach(() => {
  mkdirSync(join(state(), "stacks/dev"), { recursive: true });
  writeFileSync(file(), JSON.stringify({ ...completeSecrets({}), biSecretKey: "first" }));
  upped.mockReset();
});

test("a rotation that failed keeps the key that is in use, however often it is repeated", async () => {
  upped.mockRejectedValue(new Error("the Docker engine does not answer"));
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(rotateBiKey("dev")).rejects.toThrow("does not answer");
  }
  const { biSecretKey: second, biPreviousSecretKey } = keys();
  expect(biPreviousSecretKey).toBe("first");
  upped.mockResolvedValue("bare");
  await rotateBiKey("dev");
  expect(keys()).toMatchObject({ biSecretKey: second, biPreviousSecretKey: "first" });
  await rotateBiKey("dev");
  expect(keys().biPreviousSecretKey).toBe(second);
});

test("without Superset the key is left alone: nothing would be encrypted with another", async () => {
  const base = join(state(), "without-bi.yaml");
  writeFileSync(base, "config:\n  event-pipeline:bi:\n    enabled: false\n");
  writeChoices("dev", { base });
  await expect(rotateBiKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("bi.enabled: false"),
    next: expect.stringContaining("make up STACK=dev"),
  });
  expect(keys().biSecretKey).toBe("first");
  expect(upped).not.toHaveBeenCalled();
});
