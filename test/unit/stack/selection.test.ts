import { beforeEach, describe, expect, test, vi } from "vitest";
import { lockedBy } from "./fake-stack.ts";
import { backend, commandError, fakeWorkspace, selected } from "./fake-workspace.ts";
import { copyOf, emptyRoot, writeConfig } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("@pulumi/pulumi/automation/index.js", async (original) => ({
  ...(await original<object>()),
  LocalWorkspace: { create: async (options: object) => fakeWorkspace(options) },
  PulumiCommand: { get: async () => ({}) },
}));
const {
  createStack,
  isRecorded,
  openStack,
  removeStack,
  requireStack,
  selectStack,
  resolveStackName,
  stackToDelete,
} = await import("../../../stack/lifecycle/workspace.ts");
const { shellExports } = await import("../../../stack/lifecycle/env.ts");
const { init } = await import("../../../stack/lifecycle/init.ts");
const { withPulumiErrors } = await import("../../../stack/lifecycle/pulumi-errors.ts");

emptyRoot();
const said = vi.spyOn(console, "error").mockImplementation(() => undefined);

/** Recorded stacks; the first is selected. */
const record = (...names: string[]) => {
  backend.stacks = names.map((name, place) => ({ name, current: place === 0 }));
};

beforeEach(() => {
  backend.failure = null;
  said.mockClear();
  record("prod", "test");
});

describe("the selected stack", () => {
  test("stays selected when another one is opened", async () => {
    expect((await openStack("test")).name).toBe("test");
    expect(selected()).toBe("prod");
  });

  test("stays selected when another one is created or removed", async () => {
    await createStack("new", "");
    expect(backend.stacks.map(({ name }) => name)).toContain("new");
    expect(selected()).toBe("prod");
    await removeStack("new");
    expect(backend.stacks.map(({ name }) => name)).not.toContain("new");
    expect(selected()).toBe("prod");
  });

  test("stays selected after make init of another one, which names both", async () => {
    for (const name of ["new", "test"]) {
      await init(name);
      expect(selected()).toBe("prod");
      expect(said).toHaveBeenLastCalledWith(
        `Commands without STACK= still work on prod. make env STACK=${name} selects ${name}.`,
      );
    }
  });

  test("is the one of make init if there is none", async () => {
    record();
    await init("new");
    expect(selected()).toBe("new");
  });

  test.each([
    ["make up", selectStack],
    ["make env", shellExports],
  ])("is changed by %s, which says so", async (_, select) => {
    await select("prod");
    expect(said).not.toHaveBeenCalled();
    await select("test");
    expect(selected()).toBe("test");
    expect(said).toHaveBeenCalledWith("Commands without STACK= now work on test, not on prod.");
  });

  test("may be a new one of make env", async () => {
    await shellExports("new");
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
    writeConfig(copyOf("dev"), {});
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
    ["isRecorded", () => isRecorded("test")],
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
