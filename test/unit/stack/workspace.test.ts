import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { quote } from "../../../terminal/shell.ts";
import { lockedBy } from "./fake-stack.ts";
import { backend, commandError, fakeWorkspace, selected } from "./fake-workspace.ts";
import { copyOf, emptyRoot, writeConfig } from "./own-root.ts";

let used: Record<string, string>;
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("@pulumi/pulumi/automation/index.js", async (original) => ({
  ...(await original<object>()),
  LocalWorkspace: {
    create: async (options: { envVars: Record<string, string> }) => {
      used = options.envVars;
      return fakeWorkspace(options);
    },
  },
  PulumiCommand: { get: async () => ({}) },
}));
const {
  createStack,
  isRecorded,
  openStack,
  pulumiEnvironment,
  removeStack,
  requireStack,
  selectStack,
  resolveStackName,
  stackToDelete,
} = await import("../../../stack/lifecycle/workspace.ts");
const { shellExports } = await import("../../../stack/lifecycle/env.ts");
const { init } = await import("../../../stack/lifecycle/init.ts");
const { withPulumiErrors } = await import("../../../stack/lifecycle/pulumi-errors.ts");

const root = emptyRoot();
const PROJECT = join(import.meta.dirname, "../../..");
const state = () => join(root(), ".state");
const OWN = () => `file://${state()}/backend?create_dir=true`;
const said = vi.spyOn(console, "error").mockImplementation(() => undefined);

/** Recorded stacks; the first is selected. */
const record = (...names: string[]) => {
  backend.stacks = names.map((name, place) => ({ name, current: place === 0 }));
};
beforeEach(() => {
  backend.failure = null;
  said.mockClear();
  record("prod", "test");
  const names = ["BACKEND_URL", "CONFIG_PASSPHRASE"];
  for (const name of [...names, "CONFIG_PASSPHRASE_FILE"]) vi.stubEnv(`PULUMI_${name}`, undefined);
  vi.stubEnv("PULUMI_HOME", state());
});
afterEach(() => void vi.unstubAllEnvs());

describe("the selected stack", () => {
  test("stays selected when another one is opened, created or removed", async () => {
    expect((await openStack("test")).name).toBe("test");
    expect(selected()).toBe("prod");
    await createStack("new", "");
    expect(backend.stacks.map(({ name }) => name)).toContain("new");
    expect(selected()).toBe("prod");
    await removeStack("new");
    expect(backend.stacks.map(({ name }) => name)).not.toContain("new");
    expect(selected()).toBe("prod");
  });

  test("stays selected after make init of another one, which names both", async () => {
    await init("new");
    expect(selected()).toBe("prod");
    expect(said).toHaveBeenLastCalledWith(
      "Commands without STACK= still work on prod. make env STACK=new selects new.",
    );
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
    record("team/event-pipeline/prod");
    expect(await resolveStackName()).toBe("prod");
    record();
    expect(await resolveStackName()).toBe("dev");
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

  test("must be named for a deletion, unless it is the only one and selected", async () => {
    await expect(stackToDelete()).rejects.toMatchObject({
      message: "The stack to delete must be named: prod, test",
      hint: "run make clean STACK=<name>",
    });
    expect(await stackToDelete("test")).toBe("test");
    record("prod");
    expect(await stackToDelete()).toBe("prod");
    backend.stacks = [{ name: "prod", current: false }];
    await expect(stackToDelete()).rejects.toThrow("must be named: prod");
    record();
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

  test("has a hint for the passphrase, and leaves a lock to the operation", async () => {
    const failure = commandError("error: getting secrets manager: incorrect passphrase");
    await expect(withPulumiErrors(() => Promise.reject(failure))).rejects.toMatchObject({
      message: expect.stringContaining("incorrect passphrase"),
      hint: expect.stringContaining("PULUMI_CONFIG_PASSPHRASE"),
    });
    const lock = lockedBy("elsewhere", 1);
    await expect(withPulumiErrors(() => Promise.reject(lock))).rejects.toBe(lock);
  });
});

describe("Pulumi's environment", () => {
  test("has the backend of Pulumi.yaml and a passphrase in the state folder by default", async () => {
    const { backend: committed } = parse(readFileSync(join(PROJECT, "Pulumi.yaml"), "utf8"));
    expect(committed).toEqual({ url: "file://.state/backend?create_dir=true" });
    expect(await pulumiEnvironment("dev")).toMatchObject({
      PULUMI_BACKEND_URL: OWN(),
      PULUMI_CONFIG_PASSPHRASE_FILE: join(state(), "stacks/dev/passphrase"),
      PULUMI_OPTION_CONFIG_FILE: join(root(), "Pulumi.dev.yaml"),
    });
    writeConfig(copyOf("dev"), {});
    const own = `export PULUMI_OPTION_CONFIG_FILE=${quote(copyOf("dev"))}`;
    expect(await shellExports("dev")).toContain(own);
  });

  test.each(["CONFIG_PASSPHRASE", "CONFIG_PASSPHRASE_FILE"])(
    "leaves the user's own PULUMI_%s",
    async (name) => {
      vi.stubEnv(`PULUMI_${name}`, "my-passphrase");
      const environment = await pulumiEnvironment("dev");
      expect(environment).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
    },
  );

  test("ignores the passphrase of another stack that make env exported", async () => {
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", join(state(), "stacks/a/passphrase"));
    const file = join(state(), "stacks/b/passphrase");
    expect(await pulumiEnvironment("b")).toMatchObject({ PULUMI_CONFIG_PASSPHRASE_FILE: file });
  });

  test("has absolute paths for a new stack, whose temporary folder is another one", async () => {
    vi.stubEnv("PULUMI_BACKEND_URL", "file://my-backend");
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", "my-passphrase");
    expect(await createStack("new", "config: {}\n")).toBe("config: {}\nencryptionsalt: v1:x:y\n");
    expect(used).toMatchObject({
      PULUMI_BACKEND_URL: `file://${join(root(), "my-backend")}`,
      PULUMI_CONFIG_PASSPHRASE_FILE: join(root(), "my-passphrase"),
    });
  });
});
