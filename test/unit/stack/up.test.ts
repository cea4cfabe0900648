import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { containersOf, planStack } from "../../../components/services.ts";
import { UserError } from "../../../contract/errors.ts";
import { planContext } from "./context.ts";
import { fakeStack } from "./fake-stack.ts";
import { copyOf, emptyRoot, readConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
/** Services in the engine's successive lists; the last list repeats. */
let looks: string[][][];
let isEngineUp: boolean;
const look = vi.hoisted(() => vi.fn());
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
const select = vi.hoisted(() => vi.fn());
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  isRecorded: async () => true,
  openStack: async () => stack,
  selectStack: select,
  requireStack: async (name: string) => {
    if (name !== "dev") throw new UserError(`There is no stack ${name}`);
  },
}));
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  owned: async () => [],
  removeNetworks: async () => undefined,
  removeContainers: async () => undefined,
  serviceRows: look,
}));
vi.mock("../../../stack/lifecycle/local-plan.ts", () => ({
  localContext: () => planContext(),
  validateSettings: () => undefined,
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async () => {
    if (!isEngineUp) throw new UserError("The Docker engine does not answer", "start Docker");
  },
}));
const runPipeline = vi.hoisted(() => vi.fn());
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runPipeline }));
vi.mock("../../../terminal/process.ts", () => ({
  execute: async () => ({ code: 0, stdout: "why it is unhealthy", stderr: "" }),
}));
// Waits return at once, but advance the clock.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}));
const { setGeneratorState } = await import("../../../stack/lifecycle/generator.ts");
const { up } = await import("../../../stack/lifecycle/up.ts");

const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);

const planned = containersOf(planStack(planContext()));
/** All services are healthy, except the broker, which has this status; null: it is missing. */
const broker = (status: string | null): string[][] =>
  planned
    .map(({ role, name }) => [role, name, role === "broker" ? status : "Up 2 minutes (healthy)"])
    .filter((row): row is string[] => row[2] !== null);

emptyRoot();
beforeEach(() => {
  select.mockClear();
  vi.useFakeTimers({ toFake: ["Date"] });
  stack = fakeStack("dev");
  looks = [broker("Up 2 minutes (healthy)")];
  isEngineUp = true;
  look
    .mockReset()
    .mockImplementation(async () => (looks.length > 1 ? looks.shift() : looks[0]) ?? []);
  printed.mockClear();
});
afterEach(() => vi.useRealTimers());

const VOLUME = "urn:pulumi:dev::event-pipeline::docker:index/volume:Volume::broker-data";
const volume = (op: string) => ({
  resourcePreEvent: {
    metadata: { op, urn: VOLUME, old: { inputs: { name: "kafka-data" } }, new: null },
  },
});

describe("a start", () => {
  test("of a new stack runs one Pulumi operation", async () => {
    await up("dev");
    expect(stack.done).toEqual(["up"]);
  });

  test("of an existing stack first refreshes manual changes, except those in Grafana", async () => {
    stack.deployment.resources.push({ urn: "urn:any", id: "one" });
    await up("dev");
    expect(stack.done).toEqual(["refresh", "up"]);
    expect(stack.refresh).toHaveBeenCalledWith(
      expect.objectContaining({ exclude: ["**grafana:*/**"], clearPendingCreates: true }),
    );
  });

  test("that would lose data is refused by its preview", async () => {
    stack.deployment.resources.push({ urn: VOLUME, id: "kafka-data" });
    stack.preview.mockImplementation(async ({ onEvent }) => {
      onEvent(volume("delete"));
      return { stdout: "" };
    });
    await expect(up("dev")).rejects.toThrow("would delete the data in kafka-data");
    expect(stack.done).not.toContain("up");
    stack.preview.mockImplementation(async ({ onEvent }) => {
      onEvent(volume("same"));
      return { stdout: "" };
    });
    await up("dev");
    expect(stack.done).toContain("up");
  });

  test("that exceeds the machine's resources changes nothing", async () => {
    isEngineUp = false;
    await expect(up("dev")).rejects.toThrow("Docker engine");
    expect(stack.done).toEqual([]);
  });

  test("writes its settings into the stack's configuration", async () => {
    await up("dev", { offset: 100, mode: "bare" });
    expect(readConfig(copyOf("dev"))).toEqual({
      network: { portOffset: 100 },
      mode: "bare",
      generator: { enabled: false },
    });
  });

  test("selects the stack only on request, because other commands start it, too", async () => {
    await up("dev");
    expect(select).not.toHaveBeenCalled();
    await up("dev", { selects: true });
    expect(select).toHaveBeenCalledWith("dev");
  });

  test("that fails in Pulumi shows the logs of unhealthy services", async () => {
    stack.up.mockRejectedValue(new Error("code: 255"));
    looks = [broker("Up 9 minutes (unhealthy)")];
    await expect(up("dev")).rejects.toThrow(
      /^The stack is not up: Pulumi's messages.*\nbroker .*why it is unhealthy$/s,
    );
  });
});

describe("the end of a start", () => {
  test("checks once if every service is healthy", async () => {
    await up("dev");
    expect(look).toHaveBeenCalledOnce();
    expect(printed).not.toHaveBeenCalled();
  });

  test("comes when the last service is healthy, and names what it waits for", async () => {
    looks = [
      broker(null),
      broker("Up 1 second (health: starting)"),
      broker("Up 3 seconds (health: starting)"),
      broker("Up 5 seconds (unhealthy)"),
      broker("Up 7 seconds (healthy)"),
    ];
    await up("dev");
    expect(printed.mock.calls).toEqual([
      ["Waiting for broker (missing): 240 s at most."],
      ["Waiting for broker (starting): 240 s at most."],
      ["Waiting for broker (unhealthy): 240 s at most."],
    ]);
  });

  test("is a failure with the service's log if one stays unhealthy", async () => {
    looks = [broker("Up 9 minutes (unhealthy)")];
    await expect(up("dev")).rejects.toThrow(
      /^The stack is not up: not healthy: broker \(unhealthy\)\.\nbroker .*why it is unhealthy$/s,
    );
  });

  test("waits for no service outside the plan", async () => {
    looks = [[...broker("Up 1 day (healthy)"), ["old", "event-pipeline-dev-old", "Exited (1)"]]];
    await up("dev");
    expect(look).toHaveBeenCalledOnce();
  });

  test("does not wait for a paused service", async () => {
    looks = [broker("Up 9 minutes (Paused)")];
    await expect(up("dev")).rejects.toThrow("not healthy: broker (paused)");
    expect(printed).not.toHaveBeenCalled();
  });
});

describe("the generator's state", () => {
  test("is a setting of the stack", async () => {
    expect(await setGeneratorState("dev", "off")).toBe(0);
    expect(readConfig(copyOf("dev"))).toEqual({ generator: { enabled: false } });
    expect(runPipeline).not.toHaveBeenCalled();
  });

  test("is on only if the generator publishes: the command says what keeps it in standby", async () => {
    runPipeline.mockImplementation(async () => {
      expect(stack.done).toContain("up");
      return 1;
    });
    expect(await setGeneratorState("dev", "on")).toBe(1);
    expect(readConfig(copyOf("dev"))).toEqual({ generator: { enabled: true } });
    expect(runPipeline.mock.calls).toEqual([["dev", ["generator", "resume", "--wait", "900"]]]);
  });

  test("starts no missing stack", async () => {
    await expect(setGeneratorState("typo", "on")).rejects.toThrow("There is no stack typo");
  });

  test("is one of three", async () => {
    await expect(setGeneratorState("dev", "of")).rejects.toThrow("allowed: on, off, restart");
  });
});
