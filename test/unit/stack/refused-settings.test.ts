import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { fakeStack } from "./fake-stack.ts";

let root: string;
let stack: ReturnType<typeof fakeStack>;
let isPortFree: boolean;
vi.mock("../../../components/shared/state.ts", async (original) => ({
  ...(await original<object>()),
  get ROOT() {
    return root;
  },
}));
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  openStack: async () => stack,
  requireStack: async () => undefined,
  selectStack: async () => stack,
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async (_: string, config?: string) => {
    if (!isPortFree) throw new UserError(`taken, with ${config}`);
  },
}));
const { init } = await import("../../../stack/lifecycle/init.ts");
const { up } = await import("../../../stack/lifecycle/up.ts");

const file = (name: string) => join(root, `Pulumi.${name}.yaml`);
const write = (name: string, config: object) =>
  writeFileSync(file(name), JSON.stringify({ config }));
const BROKER = { "event-pipeline:broker": { port: 40_000 } };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "refused-settings-"));
  stack = fakeStack("mine");
  isPortFree = true;
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => rmSync(root, { recursive: true }));

describe("a setting that is refused", () => {
  test.each([
    ["make up", up],
    ["make init", init],
  ])("is not written by %s", async (_, start) => {
    write("mine", BROKER);
    await expect(start("mine", { offset: 30_000 })).rejects.toThrow(
      "broker.port plus network.portOffset is 70000",
    );
    expect(stack.setConfig).not.toHaveBeenCalled();
  });

  test("is not written by generator-down either", async () => {
    write("mine", { "event-pipeline:generator": { deploi: false } });
    await expect(up("mine", { generatorEnabled: false })).rejects.toThrow("did you mean deploy");
    expect(stack.setConfig).not.toHaveBeenCalled();
  });

  test("leaves a new stack without a configuration, so that a correct CONFIG= applies", async () => {
    write("wrong", { "event-pipeline:mode": "lively" });
    await expect(up("mine", { config: "wrong" })).rejects.toThrow("must be live or bare");
    expect(existsSync(file("mine"))).toBe(false);
  });

  test("is not written if its ports are taken", async () => {
    isPortFree = false;
    write("mine", {});
    await expect(up("mine", { offset: 1000 })).rejects.toThrow(/taken, with [\s\S]*: 1000/);
    expect(stack.setConfig).not.toHaveBeenCalled();
  });
});

test("a secret that is not set yet does not keep init from creating the stack", async () => {
  write("own", {
    "event-pipeline:broker": { mode: "external", bootstrap: "b:9092" },
    "event-pipeline:database": { mode: "external", url: "https://db:8443" },
  });
  await init("mine", { config: "own", offset: 10 });
  expect(readFileSync(file("mine"), "utf8")).toContain("https://db:8443");
  expect(stack.setConfig).toHaveBeenCalledOnce();
});
