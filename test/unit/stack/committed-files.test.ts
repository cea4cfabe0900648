import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeStack } from "./fake-stack.ts";
import { backend, fakeWorkspace, selected } from "./fake-workspace.ts";
import { copyOf, emptyRoot, readConfig } from "./own-root.ts";

let stack: ReturnType<typeof fakeStack>;
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("@pulumi/pulumi/automation/index.js", async (original) => ({
  ...(await original<object>()),
  LocalWorkspace: { create: async (options: object) => fakeWorkspace(options) },
  PulumiCommand: { get: async () => ({}) },
  Stack: { select: async () => stack },
}));
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  owned: async () => [],
  startStopped: async () => undefined,
}));
vi.mock("../../../stack/doctor/doctor.ts", () => ({ requireReady: async () => undefined }));
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runPipeline: async () => 0 }));
const { clean, down, requireDeletable } = await import("../../../stack/lifecycle/down.ts");
const { shellExports } = await import("../../../stack/lifecycle/env.ts");
const { setGeneratorState } = await import("../../../stack/lifecycle/generator.ts");
const { init } = await import("../../../stack/lifecycle/init.ts");
const { rotateSupersetKey } = await import("../../../stack/lifecycle/rotate.ts");
const { previewWith } = await import("../../../stack/lifecycle/run-preview.ts");
const { up } = await import("../../../stack/lifecycle/up.ts");

const CHECKOUT = join(import.meta.dirname, "../../..");
const root = emptyRoot();

const git = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root(), encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout;
};

beforeEach(() => {
  const configurations = readdirSync(CHECKOUT).filter((name) => /^Pulumi.*\.yaml$/.test(name));
  for (const name of [".gitignore", ...configurations]) {
    copyFileSync(join(CHECKOUT, name), join(root(), name));
  }
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example", "commit", "--quiet", "--message", "all");
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  backend.stacks = [];
  backend.failure = null;
  use("dev");
});

/** Makes `Stack.select` return a stack that writes into the checkout where Pulumi would. */
function use(name: string): void {
  stack = fakeStack(name);
  const file = join(root(), `Pulumi.${name}.yaml`);
  const run = async ({ showSecrets = true }: { showSecrets?: boolean } = {}) => {
    // Pulumi lists the history after a run, and with secrets it writes a missing salt.
    if (showSecrets) appendFileSync(file, "encryptionsalt: v1:x:y\n");
  };
  for (const operation of [stack.up, stack.refresh, stack.destroy]) {
    operation.mockImplementation(run as never);
  }
}

describe("a committed configuration", () => {
  test.each(["dev", "offline", "long-lived"])("is not changed by commands on %s", async (name) => {
    use(name);
    const commands: [string, () => Promise<unknown>][] = [
      ["preview of a new stack", () => previewWith(name, { config: name, mode: "bare" })],
      ["init", () => init(name, { config: name, offset: 1000 })],
      ["up", () => up(name, { config: name, selects: true })],
      ["up UP=bare", () => up(name, { mode: "bare" })],
      ["preview", () => previewWith(name, { offset: 2000 })],
      ["generator-down", () => setGeneratorState(name, "off")],
      ["generator-up", () => setGeneratorState(name, "on")],
      ["bi-rotate-key", () => rotateSupersetKey(name)],
      ["env", () => shellExports(name)],
      ["init of a second stack", () => init("second", { config: name, mode: "bare" })],
      ["down", () => down(name)],
      ["clean", () => clean(name)],
    ];
    stack.deployment.resources.push({ urn: "urn:p::superset-secret-key-1", id: "k" });
    for (const [command, run] of commands) {
      await run();
      expect(git("status", "--porcelain"), command).toBe("");
    }
    expect(selected()).toBeUndefined();
  });
});

describe("what make wrote", () => {
  test("is used by the next start, and does not outlive make clean", async () => {
    await up("offline", { config: "offline", mode: "bare", offset: 1000 });
    await setGeneratorState("offline", "off");
    await up("offline", { config: "offline" });
    expect(readConfig(copyOf("offline"))).toMatchObject({
      mode: "bare",
      generator: { enabled: false },
      network: { portOffset: 1000 },
      grafana: { enabled: false },
    });
    await clean("offline");
    expect(existsSync(copyOf("offline"))).toBe(false);
    await up("offline", { config: "offline" });
    const settings = readConfig(copyOf("offline"));
    expect(settings).toMatchObject({ grafana: { enabled: false } });
    expect(settings.generator).not.toHaveProperty("enabled");
    for (const name of ["mode", "network"]) expect(settings).not.toHaveProperty(name);
  });

  test("is removed after plain pulumi has removed the stack", async () => {
    await up("dev", { mode: "bare" });
    backend.stacks = [];
    await requireDeletable("dev");
    await clean("dev");
    expect(existsSync(copyOf("dev"))).toBe(false);
  });
});

test("of two files beside the checkout's, make clean removes its own and keeps the user's", async () => {
  await up("second", { config: "dev", mode: "bare" });
  await clean("second");
  expect(existsSync(join(root(), "Pulumi.second.yaml"))).toBe(false);
  const file = join(root(), "Pulumi.mine.yaml");
  appendFileSync(file, "# mine\nconfig:\n  event-pipeline:mode: live\n");
  await up("mine", { mode: "bare" });
  await clean("mine");
  expect(readConfig(file)).toMatchObject({ mode: "bare" });
});
