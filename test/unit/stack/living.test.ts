import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MartsMissing } from "../../../contract/errors.ts";
import { type Mode, readChoices, writeChoices } from "../../../pipeline/stack/manage/choices.ts";
import type { UpOptions } from "../../../pipeline/stack/manage/up.ts";

const upped = vi.hoisted(() => vi.fn());
const marts = vi.hoisted(() => vi.fn());
const memory = vi.hoisted(() => vi.fn());
const closed = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/outputs.ts", () => ({ readSecrets: async () => ({}) }));
vi.mock("../../../pipeline/stack/manage/up.ts", () => ({ up: upped }));
vi.mock("../../../pipeline/bi/marts.ts", () => ({ requireMarts: marts }));
vi.mock("../../../pipeline/stack/manage/memory-use.ts", async (original) => ({
  ...(await original<object>()),
  memoryOfServices: memory,
}));
vi.mock("../../../pipeline/database/http.ts", () => ({
  ServerDatabase: class {
    close = closed;
  },
}));

const { accept } = await import("../../../pipeline/stack/manage/guarded.ts");
const { upInMode } = await import("../../../pipeline/stack/manage/living.ts");
const { chooseMode } = await import("../../../pipeline/stack/manage/mode.ts");

let state: string;
beforeAll(() => vi.stubEnv("FORCE_COLOR", "0"));
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "living-"));
  vi.stubEnv("EVENT_PIPELINE_STATE", state);
  for (const mock of [upped, marts, memory, closed]) mock.mockReset();
  memory.mockResolvedValue([{ service: "broker", used: 400, limit: 1024 }]);
  marts.mockResolvedValue({ isLoaded: false });
  upped.mockImplementation(async (stack: string, { mode }: UpOptions) => chooseMode(stack, mode));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));
afterAll(() => vi.unstubAllEnvs());

const STACK = "dev";

describe("the mode of a start", () => {
  test.each<[string, Mode | undefined, Mode | undefined, boolean, Mode, Mode]>([
    // what, asked, started in, was up → now, from now on
    ["a new stack lives", undefined, undefined, false, "living", "living"],
    ["a new stack, bare", "bare", undefined, false, "bare", "bare"],
    ["a later start is as the first", undefined, "bare", true, "bare", "bare"],
    ["a living one may rest", "bare", "living", true, "bare", "bare"],
    ["a bare one may live", "living", "bare", true, "living", "living"],
    ["an older one keeps its data", undefined, undefined, true, "bare", "bare"],
  ])("%s", (_, wish, before, hasBeenUp, now, after) => {
    writeChoices(STACK, { base: STACK, ...(before ? { mode: before } : {}) });
    if (hasBeenUp) accept(STACK);
    expect(chooseMode(STACK, wish)).toBe(now);
    expect(readChoices(STACK).mode).toBe(after);
  });
});

test("a new stack on somebody's own broker gets no history unasked", () => {
  const base = join(import.meta.dirname, "own-broker.yaml");
  writeChoices(STACK, { base });
  expect(chooseMode(STACK, undefined)).toBe("bare");
  writeChoices(STACK, { base });
  expect(chooseMode(STACK, "living")).toBe("living");
});

describe("the last screen", () => {
  test("at rest advises the stored data only where nothing is", async () => {
    writeChoices(STACK, { base: STACK, generatorEnabled: false });
    expect(await upInMode(STACK, { mode: "bare" })).toContain("Next: make data STACK=dev");
    marts.mockResolvedValue({ isLoaded: true });
    expect(await upInMode(STACK, { mode: "bare" })).not.toContain("make data");
    marts.mockRejectedValue(new Error("cannot be reached"));
    expect(await upInMode(STACK, { mode: "bare" })).not.toContain("make data");
    marts.mockRejectedValue(new MartsMissing("no marts at all"));
    expect(await upInMode(STACK, { mode: "bare" })).toContain("Next: make data STACK=dev");
  });
});
