import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack } from "./fake-stack.ts";
import { emptyRoot, readConfig, writeConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
let recorded: string[];
let isReady: boolean;
const create = vi.hoisted(() => vi.fn());
const runOnStack = vi.hoisted(() => vi.fn());
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  ownedObjects: async () => [],
  startStopped: async (identity?: string) => void stack.done.push(`start stopped of ${identity}`),
}));
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  createStack: create,
  isRecorded: async (name: string) => recorded.includes(name),
  openStack: async () => stack,
  requireStack: async (name: string) => {
    if (!recorded.includes(name)) throw new UserError(`There is no stack ${name}`);
  },
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async (_: string, config?: string) => {
    if (!isReady) throw new UserError(`taken, with ${config}`);
  },
}));
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runOnStack }));
const { init } = await import("../../../stack/lifecycle/init.ts");
const { localConfig } = await import("../../../stack/lifecycle/local-config.ts");
const { configWith } = await import("../../../stack/lifecycle/stack-file.ts");
const { setGenerator, up } = await import("../../../stack/lifecycle/up.ts");

const root = emptyRoot();
const file = (name = "mine") => join(root(), `Pulumi.${name}.yaml`);

beforeEach(() => {
  stack = fakeStack("mine");
  recorded = ["mine"];
  isReady = true;
  for (const mock of [create, runOnStack]) mock.mockReset();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  writeConfig(file(), { mode: "live" });
});

describe("a start", () => {
  test("of a stack without resources runs one Pulumi operation", async () => {
    await up("mine");
    expect(stack.done).toEqual(["up"]);
  });

  test("first starts what was stopped, then refreshes all but Grafana's content", async () => {
    const urn = "urn::random:index/randomId:RandomId::identity";
    stack.deployment.resources.push({ urn, outputs: { hex: "own" } });
    await up("mine");
    expect(stack.done).toEqual(["start stopped of own", "refresh", "up"]);
    expect(stack.refresh).toHaveBeenCalledWith(
      expect.objectContaining({ exclude: ["**grafana:*/**"], clearPendingCreates: true }),
    );
  });

  test("writes its settings into the stack's configuration", async () => {
    await up("mine", { offset: 100, mode: "bare" });
    expect(readConfig(file())).toEqual({
      network: { portOffset: 100 },
      mode: "bare",
      generator: { enabled: false },
    });
  });

  test("that fails ends with the error of the resource, without the text of its command", async () => {
    const error = (message: string) => ({ diagnosticEvent: { severity: "error", message } });
    const quoted = 'exit status 1: running "within() { timeout \\"$@\\"; }\\nwithin 5 node":';
    stack.up.mockImplementation((async ({ onEvent }: { onEvent: (event: object) => void }) => {
      onEvent(error("update failed\n"));
      onEvent(error(`<{%reset%}>${quoted}\nThe broker does not answer\n  hint: wait\n<{%reset%}>`));
      throw new Error("code: 255");
    }) as never);
    await expect(up("mine")).rejects.toMatchObject({
      message: "The stack is not up:\nThe broker does not answer\n  hint: wait",
      hint: "run make doctor STACK=mine, then make up STACK=mine again",
    });
  });
});

describe("a start with refused settings writes nothing", () => {
  const KAFKA = { kafka: { port: 40_000 } };
  const isTaken = () => {
    isReady = false;
  };

  test.each([
    [() => {}, () => up("mine", { offset: 30_000 }), "network.portOffset is 70000"],
    [isTaken, () => up("mine", { offset: 1000 }), /taken, with [\s\S]*: 1000/],
  ])("case %#", async (arrange, start, message) => {
    writeConfig(file(), KAFKA);
    arrange();
    await expect(start()).rejects.toThrow(message);
    expect(readConfig(file())).toEqual(KAFKA);
    expect(stack.done).not.toContain("up");
  });
});

describe("a new stack", () => {
  test("is not created with a wrong setting, so that a correct CONFIG= applies", async () => {
    writeConfig(file("wrong"), { mode: "lively" });
    for (const start of [up, init]) {
      await expect(start("new", { config: "wrong" })).rejects.toThrow("must be live or bare");
    }
    isReady = false;
    await expect(up("new")).rejects.toThrow("taken");
    expect(existsSync(file("new"))).toBe(false);
    expect(create).not.toHaveBeenCalled();
  });

  test("is created by make init before its secrets are set", async () => {
    writeConfig(file("own"), {
      kafka: { mode: "external", bootstrap: "b:9092" },
      clickhouse: { mode: "external", url: "https://db:8443" },
    });
    expect(() => localConfig("new", configWith("new", "own", []))).toThrow("clickhousePassword");
    await init("new", { config: "own", offset: 10 });
    expect(readConfig(file("new"))).toMatchObject({
      clickhouse: { url: "https://db:8443" },
      network: { portOffset: 10 },
    });
  });
});

describe("the generator's state", () => {
  test("is a setting, and on only if the generator publishes, as the command says", async () => {
    expect(await setGenerator("mine", "off")).toBe(0);
    expect(readConfig(file())).toMatchObject({ generator: { enabled: false } });
    expect(runOnStack).not.toHaveBeenCalled();
    runOnStack.mockResolvedValue(1);
    expect(await setGenerator("mine", "on")).toBe(1);
    expect(readConfig(file())).toMatchObject({ generator: { enabled: true } });
    expect(runOnStack.mock.calls).toEqual([["mine", ["generator", "resume", "--wait", "900"]]]);
  });

  test("needs a stack that exists", async () => {
    await expect(setGenerator("typo", "on")).rejects.toThrow("There is no stack typo");
  });
});
