import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeStack } from "./fake-stack.ts";
import { backend, fakeWorkspace } from "./fake-workspace.ts";
import { emptyRoot, fileOf, readConfig } from "./own-root.ts";

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
vi.mock("../../../terminal/docker.ts", () => ({ dockerRows: async () => [] }));
vi.mock("../../../stack/doctor/doctor.ts", () => ({ requireReady: async () => undefined }));
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runOnStack: async () => 0 }));
const { clean, down } = await import("../../../stack/lifecycle/down.ts");
const { init } = await import("../../../stack/lifecycle/init.ts");
const { rotateSupersetKey } = await import("../../../stack/lifecycle/rotate.ts");
const { previewWith } = await import("../../../stack/lifecycle/run-preview.ts");
const { setGenerator, up } = await import("../../../stack/lifecycle/up.ts");

const CHECKOUT = join(import.meta.dirname, "../../..");
const root = emptyRoot();

const git = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root(), encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout;
};

beforeEach(() => {
  for (const name of [".gitignore", "Pulumi.dev.yaml"]) {
    copyFileSync(join(CHECKOUT, name), join(root(), name));
  }
  cpSync(join(CHECKOUT, "config"), join(root(), "config"), { recursive: true });
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
  const run = async ({ showSecrets = true }: { showSecrets?: boolean } = {}) => {
    // Pulumi lists the history after a run, and with secrets it writes a missing salt.
    if (showSecrets) appendFileSync(fileOf(name), "encryptionsalt: v1:x:y\n");
  };
  for (const operation of [stack.up, stack.refresh, stack.destroy]) {
    operation.mockImplementation(run as never);
  }
  stack.deployment.resources.push({ urn: "urn:p::superset-secret-key-1", id: "k" });
}

test.each([["dev"], ["offline"], ["long-lived"]])(
  "git shows no change after commands on %s",
  async (name) => {
    use(name);
    const config = name;
    const commands: [string, () => Promise<unknown>][] = [
      ["init", () => init(name, { config })],
      ["up", () => up(name, { config })],
      ["preview", () => previewWith(name, { offset: 2000, mode: "bare" })],
      ["generator-restart", () => setGenerator(name, "restart")],
      ["init of a second stack", () => init("second", { config, mode: "bare", offset: 1000 })],
      ["down", () => down(name)],
      ["clean", () => clean(name)],
    ];
    for (const [command, run] of commands) {
      await run();
      expect(git("status", "--porcelain"), command).toBe("");
    }
  },
);

describe("settings", () => {
  test("of dev change only these settings of its committed file, as pulumi config set does", async () => {
    await up("dev", { mode: "bare", offset: 1000 });
    await setGenerator("dev", "on");
    await rotateSupersetKey("dev");
    const lines = git("diff", "--unified=0").match(/^[+-] .*/gm) ?? [];
    expect(lines.map((line) => line.trim())).toEqual([
      "-    portOffset: 0",
      "+    portOffset: 1000",
      "+  event-pipeline:mode: bare",
      "+  event-pipeline:generator:",
      "+    enabled: true",
      "+  event-pipeline:superset:",
      "+    secretKeyGeneration: 2",
    ]);
  });

  test("are used by the next start, also after make clean", async () => {
    use("offline");
    await up("offline", { config: "offline", mode: "bare", offset: 1000 });
    await setGenerator("offline", "off");
    await clean("offline");
    await up("offline", { config: "offline" });
    expect(readConfig(fileOf("offline"))).toMatchObject({
      mode: "bare",
      generator: { enabled: false },
      network: { portOffset: 1000 },
      grafana: { enabled: false },
    });
  });
});
