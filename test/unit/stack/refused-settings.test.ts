import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack } from "./fake-stack.ts";
import { emptyRoot, readConfig, writeConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
let isPortFree: boolean;
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  owned: async () => [],
  startStopped: async () => undefined,
}));
const select = vi.hoisted(() => vi.fn());
const create = vi.hoisted(() => vi.fn(async (_: string, config: string) => config));
let isRecorded: boolean;
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  createStack: create,
  isRecorded: async () => isRecorded,
  openStack: async () => stack,
  requireStack: async () => undefined,
  selectedStack: async () => "dev",
  selectStack: select,
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async (_: string, config?: string) => {
    if (!isPortFree) throw new UserError(`taken, with ${config}`);
  },
}));
const { init } = await import("../../../stack/lifecycle/init.ts");
const { localConfig } = await import("../../../stack/lifecycle/local-config.ts");
const { configWith } = await import("../../../stack/lifecycle/stack-file.ts");
const { up } = await import("../../../stack/lifecycle/up.ts");

const root = emptyRoot();
const file = (name: string) => join(root(), `Pulumi.${name}.yaml`);
const KAFKA = { kafka: { port: 40_000 } };

beforeEach(() => {
  stack = fakeStack("mine");
  isPortFree = true;
  isRecorded = true;
  select.mockClear();
  create.mockClear();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

describe("a setting that is refused", () => {
  test.each([
    ["make up", up],
    ["make init", init],
  ])("is not written by %s", async (_, start) => {
    writeConfig(file("mine"), KAFKA);
    await expect(start("mine", { offset: 30_000 })).rejects.toThrow(
      "kafka.port plus network.portOffset is 70000",
    );
    expect(readConfig(file("mine"))).toEqual(KAFKA);
    expect(select).not.toHaveBeenCalled();
  });

  test("is not written by generator-down either", async () => {
    const config = { generator: { deploi: false } };
    writeConfig(file("mine"), config);
    await expect(up("mine", { generatorEnabled: false })).rejects.toThrow("did you mean deploy");
    expect(readConfig(file("mine"))).toEqual(config);
  });

  test("is not written if its ports are taken", async () => {
    isPortFree = false;
    writeConfig(file("mine"), {});
    await expect(up("mine", { offset: 1000, selects: true })).rejects.toThrow(
      /taken, with [\s\S]*: 1000/,
    );
    expect(readConfig(file("mine"))).toEqual({});
    expect(select).not.toHaveBeenCalled();
  });

  test("is not written if it would lose data", async () => {
    const urn = "urn:pulumi:mine::event-pipeline::docker:index/volume:Volume::kafka-data";
    const inputs = { labels: [{ label: "event-pipeline.data", value: "irreplaceable" }] };
    stack.deployment.resources.push({ urn, id: "v", inputs });
    stack.preview.mockImplementation(async ({ onEvent }) => {
      onEvent({
        resourcePreEvent: { metadata: { op: "delete", urn, old: { inputs }, new: null } },
      });
      return { stdout: "" };
    });
    writeConfig(file("mine"), {});
    await expect(up("mine", { mode: "bare", selects: true })).rejects.toThrow("would delete");
    expect(readConfig(file("mine"))).toEqual({});
    expect(select).not.toHaveBeenCalled();
  });
});

describe("a new stack", () => {
  beforeEach(() => {
    isRecorded = false;
  });

  test("is not created with a wrong setting, so that a correct CONFIG= applies", async () => {
    writeConfig(file("wrong"), { mode: "lively" });
    for (const start of [up, init]) {
      await expect(start("mine", { config: "wrong" })).rejects.toMatchObject({
        message: expect.stringContaining("must be live or bare"),
        hint: "correct Pulumi.wrong.yaml, then retry",
      });
    }
    expect(existsSync(file("mine"))).toBe(false);
    expect(create).not.toHaveBeenCalled();
  });

  test("is not created while its ports are taken", async () => {
    isPortFree = false;
    await expect(up("mine", { selects: true })).rejects.toThrow("taken");
    expect(existsSync(file("mine"))).toBe(false);
    expect(create).not.toHaveBeenCalled();
    expect(select).not.toHaveBeenCalled();
  });

  test("is created by make init before its secrets are set", async () => {
    writeConfig(file("own"), {
      kafka: { mode: "external", bootstrap: "b:9092" },
      clickhouse: { mode: "external", url: "https://db:8443" },
    });
    expect(() => localConfig("mine", configWith("mine", "own", []))).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(/^run make init STACK=mine .*--secret/),
      }),
    );
    await init("mine", { config: "own", offset: 10 });
    expect(readConfig(file("mine"))).toMatchObject({
      clickhouse: { url: "https://db:8443" },
      network: { portOffset: 10 },
    });
    expect(create).toHaveBeenCalledOnce();
  });
});
