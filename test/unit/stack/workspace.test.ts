import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { makeFolder } from "../../../contract/files.ts";
import { backend, commandError, fakeWorkspace, selected } from "./fake-workspace.ts";
import { emptyRoot, fileOf } from "./own-root.ts";

/** Pulumi's environment, and its state of a stack. */
let used: Record<string, string>;
let deployment: object;
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
  Stack: {
    select: async (name: string) => {
      return { name, workspace: {} };
    },
  },
}));
const { openStack, removeStack, requireStack, resolveStackName, stackToDelete } = await import(
  "../../../stack/lifecycle/workspace.ts"
);
vi.mock("../../../terminal/process.ts", () => ({
  execute: async (_: string, [command]: string[]) => ({
    code: 0,
    stdout: JSON.stringify(command === "stack" ? { deployment } : {}),
    stderr: "",
  }),
}));
const { init } = await import("../../../stack/lifecycle/init.ts");
const { hintFor, withPulumiErrors } = await import("../../../stack/lifecycle/pulumi-errors.ts");

const root = emptyRoot();
const PROJECT = join(import.meta.dirname, "../../..");
const passphrase = () => join(root(), ".state/passphrase");
const said = vi.spyOn(console, "error").mockImplementation(() => undefined);

/** Recorded stacks; the first is selected. */
const record = (...names: string[]) => {
  backend.stacks = names.map((name, place) => ({ name, current: place === 0 }));
};
beforeEach(() => {
  said.mockClear();
  deployment = {};
  record("prod", "test");
  makeFolder(join(root(), ".state/backend"));
  for (const name of ["BACKEND_URL", "CONFIG_PASSPHRASE", "CONFIG_PASSPHRASE_FILE"]) {
    vi.stubEnv(`PULUMI_${name}`, undefined);
  }
  vi.stubEnv("EVENT_PIPELINE_STATE", undefined);
});
afterEach(() => void vi.unstubAllEnvs());

describe("the selected stack", () => {
  test("stays selected when another one is opened", async () => {
    expect((await openStack("test")).name).toBe("test");
    expect(selected()).toBe("prod");
  });

  test("is a created one, which the message says", async () => {
    await init("new");
    expect(selected()).toBe("new");
    expect(said).toHaveBeenLastCalledWith(
      "Created the stack new with the configuration Pulumi.new.yaml. Commands without STACK= now work on it.",
    );
    await init("test");
    expect(selected()).toBe("new");
  });

  test("stays selected when another one is removed", async () => {
    await removeStack("test");
    expect(selected()).toBe("prod");
  });
});

describe("the stack of a command", () => {
  test("is the named one, then the configuration's, then the selected one, then dev", async () => {
    expect(await resolveStackName("one", "offline")).toBe("one");
    expect(await resolveStackName("", "offline")).toBe("offline");
    expect(await resolveStackName("", "my.yaml")).toBe("prod");
    record("team/prod");
    expect(await resolveStackName()).toBe("team/prod");
    record();
    expect(await resolveStackName()).toBe("dev");
  });

  test("must exist if a command starts nothing", async () => {
    await requireStack("test");
    await expect(requireStack("tset")).rejects.toMatchObject({
      message: "There is no stack tset; there are: prod, test",
      hint: "use STACK=test; make up STACK=tset creates a new stack",
    });
    record("prod");
    await expect(requireStack("dev")).rejects.toMatchObject({
      message: "There is no stack dev; the only one is: prod",
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

test("a failing Pulumi command is reported with Pulumi's own message and a hint", async () => {
  const refused = (text: string) => withPulumiErrors(() => Promise.reject(commandError(text)));
  await expect(refused("pulumi stack ls\nerror: no state directory\n")).rejects.toMatchObject({
    message: "Pulumi refused a command: no state directory",
    hint: expect.stringContaining("PULUMI_BACKEND_URL"),
  });
  await expect(refused("error: incorrect passphrase")).rejects.toMatchObject({
    hint: expect.stringContaining("PULUMI_CONFIG_PASSPHRASE"),
  });
});

describe("the hint for a locked stack", () => {
  const locked = (host: string, pid: number) =>
    hintFor(
      `the stack is currently locked by 1 lock(s). …\n  file:///x/.pulumi/locks/organization/event-pipeline/dev/7f.json?create_dir=true: created by me@${host} (pid ${pid}) at 2026-11-28T14:51:10Z`,
      "retry",
    );

  test("names pulumi cancel if the process that took the lock was killed", () => {
    const { pid = 0 } = spawnSync("true");
    expect(locked(hostname(), pid)).toBe(
      `process ${pid} was killed: run npx pulumi cancel --yes --stack dev, then retry`,
    );
  });

  test("says what to wait for otherwise", () => {
    expect(locked(hostname(), process.pid)).toBe(
      `wait for the end of process ${process.pid}, then retry`,
    );
    expect(locked("other", process.pid)).toMatch(
      /^wait for .* on other; if it was killed, run npx/,
    );
  });
});

describe("Pulumi", () => {
  test("keeps its state in a folder whose name has any letters", async () => {
    vi.stubEnv("EVENT_PIPELINE_STATE", ".state");
    await openStack("dev");
    const url = new URL(used.PULUMI_BACKEND_URL ?? "");
    expect(url.search).toBe("?create_dir=true");
    expect(fileURLToPath(url)).toBe(join(root(), ".state/backend"));
  });

  test("uses the backend of Pulumi.yaml and a generated passphrase in the state folder", async () => {
    const { backend: committed } = parse(readFileSync(join(PROJECT, "Pulumi.yaml"), "utf8"));
    expect(committed).toEqual({ url: "file://.state/backend?create_dir=true" });
    await openStack("dev");
    expect(used).not.toHaveProperty("PULUMI_BACKEND_URL");
    expect(used.PULUMI_CONFIG_PASSPHRASE_FILE).toBe(passphrase());
    const generated = readFileSync(passphrase(), "utf8");
    expect(generated).toHaveLength(32);
    // As a shell sets it for plain pulumi.
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", ".state/passphrase");
    await openStack("dev");
    expect(readFileSync(used.PULUMI_CONFIG_PASSPHRASE_FILE ?? "", "utf8")).toBe(generated);
  });

  test.each(["CONFIG_PASSPHRASE", "CONFIG_PASSPHRASE_FILE"])(
    "uses the user's own PULUMI_%s",
    async (name) => {
      vi.stubEnv(`PULUMI_${name}`, "my-passphrase");
      await openStack("dev");
      expect(used).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
      expect(existsSync(passphrase())).toBe(false);
    },
  );

  const copied = () => readFileSync(used.PULUMI_OPTION_CONFIG_FILE ?? "", "utf8");

  test("reads a copy of the stack's file, or of other settings, and writes no salt into the file", async () => {
    await openStack("dev");
    expect(copied()).toBe("");
    writeFileSync(fileOf("dev"), "config: {}\n");
    await openStack("dev");
    expect(copied()).toBe("config: {}\n");
    expect(used.PULUMI_OPTION_CONFIG_FILE).not.toBe(fileOf("dev"));
    await openStack("dev", "config:\n  event-pipeline:mode: bare\n");
    expect(copied()).toContain("bare");
  });

  test("does not read the salt that a wrong passphrase of plain pulumi left in a file without secrets", async () => {
    const salted = "encryptionsalt: v1:wrong\nconfig: {}\n";
    const secret = `${salted}# secure: x\n`;
    const read = async (text: string) => {
      await openStack("dev", text);
      return copied();
    };
    expect(await read(salted)).toBe(salted);
    deployment = { secrets_providers: { state: { salt: "v1:right" } } };
    expect(await read(salted)).toBe("config: {}\n");
    expect(await read(secret)).toBe(secret);
    deployment = { secrets_providers: { state: { salt: "v1:wrong" } } };
    expect(await read(salted)).toBe(salted);
  });
});
