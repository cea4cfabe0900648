import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { containersOf, planStack } from "../../../components/services.ts";
import { UserError } from "../../../contract/errors.ts";
import { planContext } from "./context.ts";
import { ownState } from "./own-state.ts";

/** What the engine says of the services, look by look; the last answer stays. */
let looks: string[][][];
/** Containers that it holds. */
let held: { id: string; name: string; owner: string }[];
let isEngineUp: boolean;
const applied = vi.hoisted(() => vi.fn());
const look = vi.hoisted(() => vi.fn());
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  owned: async (kind: string) => (kind === "container" ? held : []),
  removeNetworks: async () => undefined,
  removeContainers: async () => undefined,
  serviceRows: look,
}));
vi.mock("../../../pipeline/stack/doctor/doctor.ts", () => ({
  requireReady: async () => {
    if (!isEngineUp) throw new UserError("The Docker engine does not answer", "start Docker");
  },
}));
vi.mock("../../../pipeline/stack/manage/process.ts", () => ({
  execute: async () => ({ code: 0, stdout: "why it is sick", stderr: "" }),
}));
vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  isRecorded: async () => true,
  pulumi: applied,
  pulumiText: async () =>
    JSON.stringify({ deployment: { resources: [{ urn: "urn:known", id: "known" }] } }),
}));
const { accept, wasUp } = await import("../../../pipeline/stack/manage/guarded.ts");
const { configBlocks, readChoices } = await import("../../../pipeline/stack/manage/choices.ts");
const { steerGenerator } = await import("../../../pipeline/stack/manage/generator.ts");
const { wasCutOff } = await import("../../../pipeline/stack/manage/under-way.ts");
const { up } = await import("../../../pipeline/stack/manage/up.ts");
const { readOwner } = await import("../../../pipeline/stack/state.ts");

ownState();
const told = vi.spyOn(console, "error").mockImplementation(() => undefined);

const planned = containersOf(planStack(planContext()));
/** All services of the plan run and are healthy, but for the broker, which says this; null: it is gone. */
const broker = (status: string | null): string[][] =>
  planned
    .map(({ role, name }) => [role, name, role === "broker" ? status : "Up 2 minutes (healthy)"])
    .filter((row): row is string[] => row[2] !== null);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  looks = [broker("Up 2 minutes (healthy)")];
  held = [];
  isEngineUp = true;
  applied.mockReset().mockResolvedValue({ code: 0, stdout: "", stderr: "" });
  look
    .mockReset()
    .mockImplementation(async () => (looks.length > 1 ? looks.shift() : looks[0]) ?? []);
  told.mockClear();
});
afterEach(() => vi.useRealTimers());

// Waiting takes no time here, but the clock goes on by what was waited for.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}));

describe("the end of a start", () => {
  test("costs one look where every service is healthy", async () => {
    await up("dev");
    expect(look).toHaveBeenCalledOnce();
    expect(told).not.toHaveBeenCalled();
  });

  test("comes when the last service is healthy, and says what it waits for", async () => {
    looks = [
      broker(null),
      broker("Up 1 second (health: starting)"),
      broker("Up 3 seconds (health: starting)"),
      broker("Up 5 seconds (unhealthy)"),
      broker("Up 7 seconds (healthy)"),
    ];
    await up("dev");
    expect(told.mock.calls).toEqual([
      ["Waiting for broker (missing): 180 s at most."],
      ["Waiting for broker (starting): 180 s at most."],
      ["Waiting for broker (unhealthy): 180 s at most."],
    ]);
    expect(wasUp("dev")).toBe(true);
  });

  test("is a failure with the sick service's log where one stays unhealthy", async () => {
    looks = [broker("Up 9 minutes (unhealthy)")];
    await expect(up("dev")).rejects.toThrow(
      /^The stack is not up: not healthy: broker \(unhealthy\)\.\nbroker .*why it is sick$/s,
    );
    expect(wasUp("dev")).toBe(false);
  });

  test("waits for nothing that is not in the plan", async () => {
    looks = [[...broker("Up 1 day (healthy)"), ["old", "event-pipeline-dev-old", "Exited (1)"]]];
    await up("dev");
    expect(look).toHaveBeenCalledOnce();
  });

  test("does not wait for a service that somebody paused", async () => {
    looks = [broker("Up 9 minutes (Paused)")];
    await expect(up("dev")).rejects.toThrow("not healthy: broker (paused)");
    expect(told).not.toHaveBeenCalled();
  });
});

test("a start that was killed, or left what it did not record, is known by its mark", async () => {
  applied.mockImplementation(async () => {
    expect(wasCutOff("dev")).toBe(true);
    return { code: 255, stdout: "", stderr: "" };
  });
  await expect(up("dev")).rejects.toThrow("The stack is not up: Pulumi's messages");
  expect(wasCutOff("dev")).toBe(false);
  applied.mockImplementation(async () => {
    held = [{ id: "x", name: "event-pipeline-dev-kafka", owner: readOwner() }];
    return { code: 255, stdout: "", stderr: "" };
  });
  await expect(up("dev")).rejects.toThrow("The stack is not up: Pulumi's messages");
  expect(wasCutOff("dev")).toBe(true);
  applied.mockResolvedValue({ code: 0, stdout: "", stderr: "" });
  await up("dev");
  expect(wasCutOff("dev")).toBe(false);
});

describe("the generator's wish", () => {
  test("holds from now on", async () => {
    await up("dev");
    await steerGenerator("dev", "off");
    expect(readChoices("dev").generatorEnabled).toBe(false);
  });

  test("is undone where the start was refused", async () => {
    await up("dev");
    const before = [readChoices("dev"), configBlocks("dev")];
    isEngineUp = false;
    await expect(steerGenerator("dev", "off")).rejects.toThrow("Docker engine");
    expect([readChoices("dev"), configBlocks("dev")]).toEqual(before);
  });

  test.each(["on", "off", "restart"])("starts no stack that never was up (%s)", async (wish) => {
    await expect(steerGenerator("typo", wish)).rejects.toMatchObject({
      message: expect.stringContaining("the stack typo was never up"),
      next: expect.stringContaining("make up STACK=typo first"),
    });
    expect(applied).not.toHaveBeenCalled();
  });

  test("is heard where a first start has failed half-way and one publishes", async () => {
    looks = [broker("Up 9 minutes (unhealthy)")];
    await expect(up("dev")).rejects.toThrow("not healthy");
    held = [{ id: "known", name: "event-pipeline-dev-generator", owner: readOwner() }];
    looks = [broker("Up 9 minutes (healthy)")];
    await steerGenerator("dev", "off");
    expect(readChoices("dev").generatorEnabled).toBe(false);
  });

  test("is one of three", async () => {
    accept("dev");
    await expect(steerGenerator("dev", "of")).rejects.toThrow("allowed are on, off and restart");
  });
});
