import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MartsMissing } from "../../../contract/errors.ts";
import { parseStackConfig } from "../../../pipeline/stack/config.ts";
import {
  configBlocks,
  type Mode,
  readChoices,
  writeChoices,
} from "../../../pipeline/stack/manage/choices.ts";
import type { UpOptions } from "../../../pipeline/stack/manage/up.ts";
import { planGenerator } from "../../../pipeline/stack/plan/generator.ts";
import { planStack } from "../../../pipeline/stack/plan/stack.ts";
import { planContext } from "./context.ts";

const pipeline = vi.hoisted(() => vi.fn());
const upped = vi.hoisted(() => vi.fn());
const marts = vi.hoisted(() => vi.fn());
const memory = vi.hoisted(() => vi.fn());
const closed = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/client.ts", () => ({ runPipeline: pipeline }));
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
  for (const mock of [pipeline, upped, marts, memory, closed]) mock.mockReset();
  memory.mockResolvedValue([{ service: "broker", used: 400, limit: 1024 }]);
  pipeline.mockResolvedValue(0);
  marts.mockResolvedValue({ isLoaded: false });
  upped.mockImplementation(async (stack: string, { mode }: UpOptions) => chooseMode(stack, mode));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));
afterAll(() => vi.unstubAllEnvs());

const STACK = "dev";
const asked = () => pipeline.mock.calls.map(([, args]) => (args as string[]).join(" "));

describe("the mode of a start", () => {
  test.each<[string, Mode | undefined, Mode | undefined, boolean, Mode, Mode]>([
    // what, asked, started in, was up → now, from now on
    ["a new stack lives", undefined, undefined, false, "living", "living"],
    ["a new stack, bare", "bare", undefined, false, "bare", "bare"],
    ["a later start is as the first", undefined, "bare", true, "bare", "bare"],
    ["a living one may rest", "bare", "living", true, "bare", "living"],
    ["a bare one may be kept fresh", "living", "bare", true, "living", "bare"],
    ["a first start that failed is asked anew", "bare", "living", false, "bare", "bare"],
    ["a first start that failed is repeated", undefined, "living", false, "living", "living"],
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

describe("the generator of a living stack", () => {
  const environmentOf = (choices: object): Record<string, string> => {
    writeChoices(STACK, { base: STACK, ...choices });
    const { generator } = planStack({
      ...planContext(),
      config: parseStackConfig(configBlocks(STACK)),
    });
    return generator?.service.container.environment ?? {};
  };

  test("begins with a week that ends now", () => {
    expect(environmentOf({ mode: "living" })).toMatchObject({
      GEN_RUN_MODE: "living",
      GEN_MODEL_T0: "now-7d",
      GEN_MODEL_T_END: "now",
    });
    expect(environmentOf({ mode: "bare" }).GEN_RUN_MODE).toBeUndefined();
  });

  test("is what the configuration says where that says something", () => {
    writeChoices(STACK, { base: join(import.meta.dirname, "living.yaml"), mode: "living" });
    const config = parseStackConfig(configBlocks(STACK));
    const plan = planGenerator(
      { ...planContext(), config },
      planStack(planContext()).broker.endpoint,
    );
    expect(plan?.service.container.environment).toMatchObject({
      GEN_MODEL_T0: "now-30d",
      GEN_MODEL_T_END: "now",
      GEN_LAMBDA_BASE_PER_MIN: "60",
    });
  });
});

describe("a living stack", () => {
  const WITHOUT_SCHEDULER = { base: join(import.meta.dirname, "living.yaml") } as const;

  test("waits for its history, loads it by the DAG, and lets the scheduler go on", async () => {
    const text = await upInMode(STACK, {});
    expect(upped).toHaveBeenCalledOnce();
    expect(asked()).toEqual([
      "generator status --wait 900 --accept-pause",
      "stored",
      "dag unpause etl_pipeline",
      "dag run etl_pipeline --wait 900",
      "dag unpause etl_live",
    ]);
    expect(text).toMatch(/a week of history\s+│\s+\d+\.\d\d? s\s+│\s+400/);
    expect(text).toContain("etl_live starts one every five minutes");
    expect(text).toMatch(/broker\s+│\s+400 │\s+1,024/);
    expect(text).toContain("/superset/dashboard/");
    expect(text).toContain("adminPassword");
    expect(text).toContain("make down STACK=dev");
    expect(closed).toHaveBeenCalledOnce();
  });

  test("shows the most memory of each step, also where it has less at its end", async () => {
    memory.mockResolvedValueOnce([{ service: "broker", used: 900, limit: 1024 }]);
    const text = await upInMode(STACK, {});
    expect(text).toMatch(/services, schema, BI\s+│\s+\d+\.\d\d? s\s+│\s+900/);
    expect(text).toMatch(/a week of history\s+│\s+\d+\.\d\d? s\s+│\s+400/);
    expect(text).toMatch(/broker\s+│\s+900 │\s+1,024/);
    expect(text).toMatch(/all\s+│\s+\d+\.\d\d? s\s+│\s+900/);
  });

  test("does not run the DAG where there is something to see: the next load is near", async () => {
    marts.mockResolvedValue({ isLoaded: true });
    await upInMode(STACK, {});
    expect(asked().slice(2)).toEqual(["dag unpause etl_pipeline", "dag unpause etl_live"]);
  });

  test("loads by itself where there is no scheduler", async () => {
    writeChoices(STACK, { ...WITHOUT_SCHEDULER, mode: "living" });
    const text = await upInMode(STACK, {});
    expect(asked().slice(2)).toEqual(["transform --no-full-refresh"]);
    expect(text).toContain("make transform STACK=dev loads what has come");
  });

  test("waits for nothing where the generator stands by, and advises nothing that deletes", async () => {
    writeChoices(STACK, { base: STACK, generatorEnabled: false });
    const text = await upInMode(STACK, {});
    expect(text).toContain("Next: make generator-up STACK=dev, then make up STACK=dev.");
    expect(text).not.toContain("make data");
    expect(text).not.toContain("every five minutes");
    expect(asked()).toEqual([]);
  });

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

  test("names the step that failed, and goes on there", async () => {
    pipeline.mockImplementation(async (_, [command]: string[]) => (command === "stored" ? 1 : 0));
    await expect(upInMode(STACK, {})).rejects.toMatchObject({
      message: expect.stringContaining("pipeline stored failed"),
      next: expect.stringContaining("make up STACK=dev"),
    });
  });

  test("loads what a bare one has let lie, once, without building all anew", async () => {
    const batch = "dag run etl_pipeline --wait 900 --param full_refresh=false";
    marts.mockResolvedValue({ isLoaded: true });
    writeChoices(STACK, { base: STACK, mode: "bare" });
    accept(STACK);
    await upInMode(STACK, { mode: "living" });
    expect(asked()).toContain(batch);
    pipeline.mockClear();
    await upInMode(STACK, {});
    expect(asked()).not.toContain(batch);
    expect(asked()).toContain("dag unpause etl_live");
    pipeline.mockClear();
    await upInMode(STACK, { mode: "bare" });
    await upInMode(STACK, {});
    expect(asked()).toEqual(["dag pause etl_live", "dag pause etl_live"]);
  });

  test("rests when it is asked to be bare, however it was started", async () => {
    await upInMode(STACK, { mode: "living" });
    pipeline.mockClear();
    await upInMode(STACK, { mode: "bare" });
    expect(asked()).toEqual(["dag pause etl_live"]);
    pipeline.mockClear();
    rmSync(state, { recursive: true });
    expect(await upInMode(STACK, { mode: "bare" })).not.toContain("Look first");
    expect(asked()).toEqual(["dag pause etl_live"]);
  });
});
