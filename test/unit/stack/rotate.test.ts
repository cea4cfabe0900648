import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { fakeStack } from "./fake-stack.ts";
import { copyOf, emptyRoot, readConfig, writeConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
const upped = vi.hoisted(() => vi.fn());
vi.mock("../../../stack/lifecycle/up.ts", () => ({ up: upped }));
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  openStack: async () => stack,
  requireStack: async () => undefined,
}));
const { rotateSupersetKey } = await import("../../../stack/lifecycle/rotate.ts");

const root = emptyRoot();
const configure = (config: object) => writeConfig(copyOf("dev"), { ...config });
beforeEach(() => {
  upped.mockReset();
  configure({});
  stack = fakeStack("dev");
  records(1);
});

const records = (...generations: number[]) =>
  stack.deployment.resources.push(
    ...generations.map((one) => ({ urn: `urn:pulumi:dev::p::t::superset-secret-key-${one}` })),
  );
const generation = () =>
  (readConfig(copyOf("dev")).superset as Record<string, unknown> | undefined)?.secretKeyGeneration;

test("a rotation sets the next generation, after an up with the previous one", async () => {
  const seen: unknown[] = [];
  upped.mockImplementation(async () => void seen.push(generation()));
  await rotateSupersetKey("dev");
  expect(seen).toEqual([undefined, 2]);
});

test("a rotation that failed before it created its key is completed, without a third key", async () => {
  configure({ superset: { secretKeyGeneration: 2 } });
  upped.mockRejectedValue(new Error("the Docker engine does not answer"));
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(rotateSupersetKey("dev")).rejects.toThrow("does not answer");
  }
  upped.mockResolvedValue(undefined);
  await rotateSupersetKey("dev");
  expect(generation()).toBe(2);
});

test("a rotation that failed after it created its key is completed before a third key", async () => {
  upped.mockResolvedValueOnce(undefined).mockImplementation(async () => {
    records(2);
    throw new Error("superset is not healthy: unhealthy");
  });
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(rotateSupersetKey("dev")).rejects.toThrow("unhealthy");
  }
  expect(generation()).toBe(2);
});

test("the generation is counted from the configuration, and never lowered", async () => {
  records(2, 3, 4, 5);
  configure({ superset: { secretKeyGeneration: 5 } });
  await rotateSupersetKey("dev");
  expect(generation()).toBe(6);
});

test("refuses a configuration below the recorded generation, and leaves it unchanged", async () => {
  records(2, 3);
  configure({ superset: { secretKeyGeneration: 2 } });
  await expect(rotateSupersetKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining(
      "generation 2 of Superset's key, and the stack has generation 3",
    ),
    hint: expect.stringContaining("superset.secretKeyGeneration to 3"),
  });
  expect(upped).not.toHaveBeenCalled();
});

test("refuses the same of a stack that plain Pulumi started, and first writes its file", async () => {
  records(2, 3);
  rmSync(copyOf("dev"));
  writeConfig(join(root(), "Pulumi.dev.yaml"), { superset: { secretKeyGeneration: 2 } });
  await expect(rotateSupersetKey("dev")).rejects.toMatchObject({
    hint: expect.stringMatching(
      /^run make init STACK=dev .*superset\.secretKeyGeneration to 3 in \.state/,
    ),
  });
});

test("without Superset the key stays", async () => {
  configure({ superset: { enabled: false } });
  await expect(rotateSupersetKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("it is deployed with superset.enabled"),
    hint: expect.stringContaining("make up STACK=dev"),
  });
  expect(upped).not.toHaveBeenCalled();
});

test("keeps a key from the configuration, because a generated one would not be used", async () => {
  configure({ supersetSecretKey: { secure: "v1:x" } });
  await expect(rotateSupersetKey("dev")).rejects.toMatchObject({
    message: expect.stringContaining("sets supersetSecretKey"),
    hint: expect.stringContaining("supersetPreviousSecretKey"),
  });
  expect(upped).not.toHaveBeenCalled();
});
