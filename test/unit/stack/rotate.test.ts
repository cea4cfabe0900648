import { beforeEach, expect, test, vi } from "vitest";
import { planContext } from "./context.ts";
import { fakeStack } from "./fake-stack.ts";
import { ownState } from "./own-state.ts";

let stack: ReturnType<typeof fakeStack>;
let config: Record<string, Record<string, unknown>>;
let configured: string[];
const upped = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/up.ts", () => ({ up: upped }));
vi.mock("../../../pipeline/stack/manage/plan.ts", () => ({
  localContext: () => ({ ...planContext(config), configured: new Set(configured) }),
}));
vi.mock("../../../pipeline/stack/manage/workspace.ts", () => ({
  openStack: async () => stack,
  requireStack: async () => undefined,
}));
const { rotateBiKey } = await import("../../../pipeline/stack/manage/rotate.ts");

ownState();

beforeEach(() => {
  upped.mockReset();
  config = {};
  configured = [];
  stack = fakeStack("dev");
  stack.setConfig.mockImplementation((async (_: string, { value }: { value: string }) => {
    config = { bi: { secretKeyGeneration: Number(value) } };
  }) as never);
});

const generation = () => config.bi?.secretKeyGeneration;

test("a rotation that failed makes no third key, however often it is repeated", async () => {
  upped.mockRejectedValue(new Error("the Docker engine does not answer"));
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(rotateBiKey("dev")).rejects.toThrow("does not answer");
  }
  expect(generation()).toBe(2);
  upped.mockResolvedValue(undefined);
  await rotateBiKey("dev");
  expect(generation()).toBe(2);
  await rotateBiKey("dev");
  expect(generation()).toBe(3);
});

test("without Superset the key is left alone: nothing would be encrypted with another", async () => {
  config = { bi: { enabled: false } };
  await expect(rotateBiKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("bi.enabled: false"),
    next: expect.stringContaining("make up STACK=dev"),
  });
  expect(upped).not.toHaveBeenCalled();
});

test("a key that the configuration sets is left alone: a generated one would not be used", async () => {
  configured = ["biSecretKey"];
  await expect(rotateBiKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("sets biSecretKey"),
    next: expect.stringContaining("biPreviousSecretKey"),
  });
  expect(upped).not.toHaveBeenCalled();
});
