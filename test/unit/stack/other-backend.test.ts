import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ROOT } from "../../../components/shared/state.ts";
import { backend, fakeWorkspace } from "./fake-workspace.ts";
import { ownState } from "./own-state.ts";

/** Stacks in the backend of the state folder. */
let kept: { name: string; current: boolean; resourceCount?: number }[];
let used: Record<string, string>;
const stateBackend = () => `file://${state()}/backend`;
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("@pulumi/pulumi/automation/index.js", async (original) => ({
  ...(await original<object>()),
  LocalWorkspace: {
    create: async (options: { envVars: Record<string, string> }) => {
      used = options.envVars;
      return used.PULUMI_BACKEND_URL === stateBackend()
        ? { ...fakeWorkspace(), listStacks: async () => kept }
        : fakeWorkspace(options);
    },
  },
  PulumiCommand: { get: async () => ({}) },
}));
const { createStack, openStack, requireStack, selectStack } = await import(
  "../../../stack/lifecycle/workspace.ts"
);

const state = ownState();
const login = (url: string) =>
  writeFileSync(join(state(), "credentials.json"), JSON.stringify({ current: url }));

beforeEach(() => {
  backend.stacks = [{ name: "dev", current: true }];
  backend.failure = null;
  kept = [{ name: "dev", current: true, resourceCount: 80 }];
  for (const name of ["BACKEND_URL", "ACCESS_TOKEN", "CREDENTIALS_PATH"]) {
    vi.stubEnv(`PULUMI_${name}`, undefined);
  }
  vi.stubEnv("PULUMI_HOME", state());
  mkdirSync(join(state(), "backend/.pulumi"), { recursive: true });
});

describe("a stack in the backend of the state folder, while another one is current", () => {
  const refusal = (current: string) => ({
    name: "UserError",
    message: `The stack dev is in the backend ${stateBackend()}, and the current one is ${current}`,
    hint: `run export PULUMI_BACKEND_URL='${stateBackend()}', then retry`,
  });

  test.each([
    ["openStack", openStack],
    ["selectStack", selectStack],
    ["requireStack", requireStack],
  ])("is refused by %s, after a login", async (_, open) => {
    login("https://api.example");
    await expect(open("dev")).rejects.toMatchObject(refusal("https://api.example"));
  });

  test("is refused for the variables that choose a backend", async () => {
    vi.stubEnv("PULUMI_ACCESS_TOKEN", "token");
    await expect(openStack("dev")).rejects.toMatchObject(refusal("Pulumi Cloud"));
    vi.stubEnv("PULUMI_BACKEND_URL", "file:///elsewhere");
    await expect(openStack("dev")).rejects.toMatchObject(refusal("file:///elsewhere"));
  });

  test.each([
    ["without resources", { name: "dev", resourceCount: 0 }],
    ["of another name", { name: "home", resourceCount: 80 }],
  ])("is not refused %s", async (_, stack) => {
    kept = [{ current: true, ...stack }];
    login("https://api.example");
    await expect(openStack("dev")).resolves.toMatchObject({ name: "dev" });
  });
});

describe("the backend of the state folder", () => {
  test.each([
    ["no login", () => undefined],
    ["its address", () => login(stateBackend())],
    ["its address from the project", () => login(`file://${relative(ROOT, `${state()}/backend`)}`)],
    ["its variable", () => vi.stubEnv("PULUMI_BACKEND_URL", stateBackend())],
  ])("may be the current one: %s", async (_, arrange) => {
    arrange();
    await expect(requireStack("dev")).resolves.toBeUndefined();
  });
});

test("a backend relative to the project is used for a new stack, too, from its temporary folder", async () => {
  login("file://my-backend");
  vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", "my-passphrase");
  expect(await createStack("new", "config: {}\n")).toBe("config: {}\nencryptionsalt: v1:x:y\n");
  expect(used).toMatchObject({
    PULUMI_BACKEND_URL: `file://${join(ROOT, "my-backend")}`,
    PULUMI_CONFIG_PASSPHRASE_FILE: join(ROOT, "my-passphrase"),
  });
});
