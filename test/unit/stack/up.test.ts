import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { StackConfig } from "../../../components/config.ts";
import { UserError } from "../../../contract/errors.ts";
import { fakeReading, fakeStack } from "./fake-stack.ts";
import { emptyRoot, readConfig, writeConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
let recorded: string[];
let isReady: boolean;
/** Services in the engine: name, state, status. */
let rows: string[][];
const runOnStack = vi.hoisted(() => vi.fn());
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  ownedObjects: async () => [],
  serviceRows: async () => rows,
  startStopped: async (identity?: string) => void stack.done.push(`start stopped of ${identity}`),
}));
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  ...fakeReading(() => stack),
  createStack: async (name: string) => void recorded.push(name),
  removeStack: async (name: string) => {
    recorded = recorded.filter((one) => one !== name);
  },
  selectStack: async () => undefined,
  isRecorded: async (name: string) => recorded.includes(name),
  requireStack: async (name: string) => {
    if (!recorded.includes(name)) throw new UserError(`There is no stack ${name}`);
  },
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async (_: string, { network }: StackConfig) => {
    if (!isReady) throw new UserError(`taken, with ${network.portOffset}`);
  },
}));
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runOnStack }));
const { init } = await import("../../../stack/lifecycle/init.ts");
const { preview, setGenerator, up } = await import("../../../stack/lifecycle/up.ts");

const root = emptyRoot();
const file = (name = "mine") => join(root(), `Pulumi.${name}.yaml`);

beforeEach(() => {
  stack = fakeStack("mine");
  recorded = ["mine"];
  isReady = true;
  rows = [];
  runOnStack.mockReset();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  writeConfig(file(), { mode: "live" });
});

const TYPES: Readonly<Record<string, string>> = { dashboard: "grafana:oss/dashboard:Dashboard" };
const CONTAINER = "docker:index/container:Container";
const urnOf = (name: string) => `urn::${TYPES[name] ?? CONTAINER}::${name}`;

/** Fills Pulumi's state; `init` is a job. */
const record = (...names: string[]) =>
  stack.deployment.resources.push(
    { urn: "urn::random:index/randomId:RandomId::identity", outputs: { hex: "own" } },
    ...names.map((name) => ({
      urn: urnOf(name),
      type: TYPES[name] ?? CONTAINER,
      inputs: name === "init" ? { start: false } : {},
    })),
  );

describe("a start", () => {
  test("of a stack without resources runs one Pulumi operation", async () => {
    await up("mine");
    expect(stack.done).toEqual(["up"]);
  });

  test("first starts what was stopped, then refreshes", async () => {
    record();
    await up("mine");
    expect(stack.done).toEqual(["start stopped of own", "refresh", "up"]);
    expect(stack.refresh).toHaveBeenCalledWith(
      expect.objectContaining({ clearPendingCreates: true }),
    );
  });

  test.each([
    ["Up 2 minutes (healthy)", []],
    ["Up 3 seconds (health: starting)", ["dashboard"]],
    ["Up 2 minutes (unhealthy)", ["dashboard"]],
  ])("refreshes Grafana's content if Grafana is %s", async (status, excluded) => {
    record("grafana", "dashboard");
    rows = [["grafana", "running", status]];
    await up("mine");
    const exclude = excluded.map(urnOf);
    expect(stack.refresh).toHaveBeenCalledWith(expect.objectContaining({ exclude }));
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

describe("a preview", () => {
  test("refreshes as a start does, so that it shows a missing container", async () => {
    record("kafka", "grafana", "dashboard", "init");
    rows = [["grafana", "exited", "Exited (0) 2 minutes ago"]];
    const text = await preview("mine", {});
    expect(stack.preview).toHaveBeenCalledWith(
      expect.objectContaining({ refresh: true, exclude: ["grafana", "dashboard"].map(urnOf) }),
    );
    expect(text).toContain("make up starts them: grafana, dashboard");
    expect(stack.done).toEqual([]);
  });

  test("of a stack that was never started has nothing to refresh", async () => {
    await preview("mine", {});
    expect(stack.preview).toHaveBeenCalledWith(expect.objectContaining({ refresh: false }));
  });
});

describe("a start with refused settings writes nothing", () => {
  const KAFKA = { kafka: { port: 40_000 } };
  const isTaken = () => {
    isReady = false;
  };

  test.each([
    [() => {}, () => up("mine", { offset: 30_000 }), "network.portOffset is 70000"],
    [
      () => vi.stubEnv("GEN_DATA_DIR", "/x"),
      () => up("mine", { offset: 1000 }).finally(() => vi.unstubAllEnvs()),
      "GEN_DATA_DIR=/x: fixed",
    ],
    [isTaken, () => up("mine", { offset: 1000 }), "taken, with 1000"],
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
    expect(recorded).toEqual(["mine"]);
  });

  test("is created by make init before its secrets are set", async () => {
    writeConfig(file("own"), {
      kafka: { mode: "external", bootstrap: "b:9092" },
      clickhouse: { mode: "external", url: "https://db:8443" },
    });
    await expect(up("new", { config: "own" })).rejects.toThrow("clickhousePassword");
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
