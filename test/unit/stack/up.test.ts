import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack } from "./fake-stack.ts";
import { copyOf, emptyRoot, readConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
let isEngineUp: boolean;
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
  startStopped: async () => void stack.done.push("start stopped"),
}));
vi.mock("../../../stack/lifecycle/local-config.ts", () => ({
  localConfig: () => parseStackConfig({}),
  validateSettings: () => undefined,
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async () => {
    if (!isEngineUp) throw new UserError("The Docker engine does not answer", "start Docker");
  },
}));
const runPipeline = vi.hoisted(() => vi.fn());
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runPipeline }));
const { setGeneratorState } = await import("../../../stack/lifecycle/generator.ts");
const { up } = await import("../../../stack/lifecycle/up.ts");

vi.spyOn(console, "error").mockImplementation(() => undefined);

emptyRoot();
beforeEach(() => {
  select.mockClear();
  stack = fakeStack("dev");
  isEngineUp = true;
});

const VOLUME = "urn:pulumi:dev::event-pipeline::docker:index/volume:Volume::kafka-data";
const inputs = {
  name: "kafka-data",
  labels: [{ label: "event-pipeline.data", value: "irreplaceable" }],
};
const volume = (op: string) => ({
  resourcePreEvent: { metadata: { op, urn: VOLUME, old: { inputs }, new: null } },
});

describe("a start", () => {
  test("of a new stack runs one Pulumi operation", async () => {
    await up("dev");
    expect(stack.done).toEqual(["up"]);
  });

  test("of an existing stack first starts what was stopped, then refreshes, except Grafana's content", async () => {
    stack.deployment.resources.push({ urn: "urn:any", id: "one" });
    await up("dev");
    expect(stack.done).toEqual(["start stopped", "refresh", "up"]);
    expect(stack.refresh).toHaveBeenCalledWith(
      expect.objectContaining({ exclude: ["**grafana:*/**"], clearPendingCreates: true }),
    );
  });

  test("that would lose data is refused by its preview", async () => {
    stack.deployment.resources.push({ urn: VOLUME, id: "kafka-data", inputs });
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

  test("that fails in Pulumi names the doctor", async () => {
    stack.up.mockRejectedValue(new Error("code: 255"));
    await expect(up("dev")).rejects.toMatchObject({
      message: "The stack is not up: Pulumi's messages above show what failed",
      hint: "run make doctor STACK=dev, then make up STACK=dev again",
    });
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
