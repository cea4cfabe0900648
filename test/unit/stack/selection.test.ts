import { beforeEach, describe, expect, test, vi } from "vitest";
import { lockedBy } from "./fake-stack.ts";
import { backend, commandError, fakeWorkspace } from "./fake-workspace.ts";
import { ownState } from "./own-state.ts";

vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("@pulumi/pulumi/automation/index.js", async (original) => ({
  ...(await original<object>()),
  LocalWorkspace: { create: async () => fakeWorkspace() },
  PulumiCommand: { get: async () => ({}) },
}));
const { openStack, requireStack, selectStack, resolveStackName, stackToDelete } = await import(
  "../../../stack/lifecycle/workspace.ts"
);
const { shellExports } = await import("../../../stack/lifecycle/env.ts");
const { init } = await import("../../../stack/lifecycle/init.ts");
const { withPulumiErrors } = await import("../../../stack/lifecycle/pulumi-errors.ts");

ownState();

/** Recorded stacks; the first is selected. */
const record = (...names: string[]) => {
  backend.stacks = names.map((name, place) => ({ name, current: place === 0 }));
};
const selected = () => backend.stacks.find(({ current }) => current)?.name;

beforeEach(() => {
  backend.failure = null;
  record("prod", "test");
});

describe("the selected stack", () => {
  test("stays selected when another one is opened", async () => {
    expect((await openStack("test")).name).toBe("test");
    expect(selected()).toBe("prod");
  });

  test("stays selected when a command creates another one without starting it", async () => {
    await openStack("new");
    expect(backend.stacks.map(({ name }) => name)).toContain("new");
    expect(selected()).toBe("prod");
  });

  test.each([
    ["selectStack", selectStack],
    ["make init and make up", init],
    ["make env", shellExports],
  ])("is changed by %s, also for a new stack", async (_, select) => {
    await select("test");
    expect(selected()).toBe("test");
    await select("new");
    expect(selected()).toBe("new");
  });
});

describe("the stack of a command", () => {
  test("is the named one, then the configuration's, then the selected one, then dev", async () => {
    expect(await resolveStackName("one", "offline")).toBe("one");
    expect(await resolveStackName("", "offline")).toBe("offline");
    expect(await resolveStackName()).toBe("prod");
    record();
    expect(await resolveStackName()).toBe("dev");
  });

  test("is found by its name without the organisation", async () => {
    record("team/event-pipeline/prod");
    expect(await resolveStackName()).toBe("prod");
    await openStack("prod");
    await requireStack("prod");
  });

  test("needs a name if the given file belongs to another stack", async () => {
    record("dev");
    await expect(resolveStackName("", "my.yaml")).rejects.toMatchObject({
      message: expect.stringContaining("The stack dev already has the configuration"),
      hint: expect.stringContaining("make up STACK=<name> CONFIG=my.yaml"),
    });
    expect(await resolveStackName("one", "my.yaml")).toBe("one");
    expect(await resolveStackName("", "Pulumi.dev.yaml")).toBe("dev");
    record("without-a-file");
    expect(await resolveStackName("", "my.yaml")).toBe("without-a-file");
  });

  test("must exist if a command starts nothing", async () => {
    await requireStack("test");
    await expect(requireStack("tset")).rejects.toMatchObject({
      message: "There is no stack tset; there are: prod, test",
      hint: "use STACK=test; make up STACK=tset creates a new stack",
    });
    record();
    await expect(requireStack("dev")).rejects.toMatchObject({
      message: "There is no stack dev; there are: none",
      hint: "make up STACK=dev creates it",
    });
  });
});

describe("the stack to delete", () => {
  test("must be named if there are several", async () => {
    await expect(stackToDelete()).rejects.toMatchObject({
      message: "The stack to delete must be named: prod, test",
      hint: "run make clean STACK=<name>",
    });
    expect(await stackToDelete("test")).toBe("test");
  });

  test("is the only one if it is selected", async () => {
    record("prod");
    expect(await stackToDelete()).toBe("prod");
    backend.stacks = [{ name: "prod", current: false }];
    await expect(stackToDelete()).rejects.toThrow("must be named: prod");
  });

  test("is dev by default", async () => {
    record();
    expect(await stackToDelete()).toBe("dev");
    backend.stacks = [{ name: "dev", current: false }];
    expect(await stackToDelete()).toBe("dev");
  });
});

describe("a failing Pulumi command", () => {
  test.each([
    ["openStack", () => openStack("test")],
    ["selectStack", () => selectStack("test")],
    ["requireStack", () => requireStack("test")],
  ])("is reported by %s with Pulumi's own message", async (_, open) => {
    backend.failure = commandError(
      "Command failed with exit code 1: pulumi stack ls\nerror: unable to open state directory\n",
    );
    await expect(open()).rejects.toMatchObject({
      name: "UserError",
      message: "Pulumi refused a command: unable to open state directory",
      hint: expect.stringContaining("PULUMI_BACKEND_URL"),
    });
  });

  test("has a specific hint for the passphrase", async () => {
    const failure = commandError("error: getting secrets manager: incorrect passphrase");
    await expect(withPulumiErrors(() => Promise.reject(failure))).rejects.toMatchObject({
      message: expect.stringContaining("incorrect passphrase"),
      hint: expect.stringContaining("PULUMI_CONFIG_PASSPHRASE"),
    });
  });

  test("leaves a lock to the operation, which knows its holder", async () => {
    const failure = lockedBy("elsewhere", 1);
    await expect(withPulumiErrors(() => Promise.reject(failure))).rejects.toBe(failure);
  });
});
