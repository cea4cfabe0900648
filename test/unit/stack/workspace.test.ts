import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { makeFolder } from "../../../contract/files.ts";
import type { execute } from "../../../terminal/process.ts";
import { FakePulumi } from "./fake-pulumi.ts";
import { emptyRoot, fileOf } from "./own-root.ts";

let pulumi: FakePulumi;
/** Environment of Pulumi's last command. */
let used: Readonly<Record<string, string | undefined>>;
/** Error of Pulumi's next command; empty for none. */
let refusal: string;
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("../../../terminal/process.ts", () => ({
  execute: (async (_, args, { env = {} }) => {
    used = env;
    if (refusal) return { code: 255, stdout: "", stderr: refusal };
    const stdout = await pulumi.ask(args, env as Record<string, string>);
    return { code: 0, stdout, stderr: "" };
  }) satisfies typeof execute,
}));
const { openStack, removeStack, requireStack, resolveStackName, stackToDelete } = await import(
  "../../../stack/lifecycle/workspace.ts"
);
const { init } = await import("../../../stack/lifecycle/init.ts");
const { askPulumi, showPulumi } = await import("../../../stack/lifecycle/pulumi.ts");

const root = emptyRoot();
const PROJECT = join(import.meta.dirname, "../../..");
const passphrase = () => join(root(), ".state/passphrase");
const said = vi.spyOn(console, "error").mockImplementation(() => undefined);

/** Recorded stacks; the first is selected. */
const record = (...names: string[]) => pulumi.record(...names);
/** Runs a command of Pulumi that changes nothing. */
const ask = () => askPulumi(["stack", "ls"]);
const selected = () => pulumi.selected;
beforeEach(() => {
  said.mockClear();
  pulumi = new FakePulumi();
  refusal = "";
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
    pulumi.stacks = [{ name: "prod", current: false }];
    await expect(stackToDelete()).rejects.toThrow("must be named: prod");
    record();
    expect(await stackToDelete()).toBe("dev");
  });
});

test("a failing question is reported with Pulumi's own message and a hint", async () => {
  refusal = "pulumi stack ls\nerror: no state directory\n";
  await expect(ask()).rejects.toMatchObject({
    message: "Pulumi refused a command: error: no state directory",
    hint: expect.stringContaining("PULUMI_BACKEND_URL"),
  });
  refusal = "error: incorrect passphrase";
  await expect(ask()).rejects.toMatchObject({
    hint: expect.stringContaining("PULUMI_CONFIG_PASSPHRASE"),
  });
});

test("a failing operation, whose errors Pulumi has printed, ends with the way out", async () => {
  refusal = "printed in the terminal";
  const failure = { message: "The stack is not up", hint: "retry" };
  await expect(showPulumi(["up"], {}, failure)).rejects.toMatchObject(failure);
});

describe("Pulumi", () => {
  test("keeps its state in a folder whose name has any letters", async () => {
    vi.stubEnv("EVENT_PIPELINE_STATE", ".state");
    await ask();
    const url = new URL(used.PULUMI_BACKEND_URL ?? "");
    expect(url.search).toBe("?create_dir=true");
    expect(fileURLToPath(url)).toBe(join(root(), ".state/backend"));
  });

  test("uses the backend of Pulumi.yaml and a generated passphrase in the state folder", async () => {
    const { backend: committed } = parse(readFileSync(join(PROJECT, "Pulumi.yaml"), "utf8"));
    expect(committed).toEqual({ url: "file://.state/backend?create_dir=true" });
    await ask();
    expect(used.PULUMI_BACKEND_URL).toBeUndefined();
    expect(used.PULUMI_CONFIG_PASSPHRASE_FILE).toBe(passphrase());
    const generated = readFileSync(passphrase(), "utf8");
    expect(generated).toHaveLength(32);
    // As a shell sets it for plain pulumi.
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", ".state/passphrase");
    await ask();
    expect(readFileSync(used.PULUMI_CONFIG_PASSPHRASE_FILE ?? "", "utf8")).toBe(generated);
  });

  test.each(["CONFIG_PASSPHRASE", "CONFIG_PASSPHRASE_FILE"])(
    "uses the user's own PULUMI_%s",
    async (name) => {
      vi.stubEnv(`PULUMI_${name}`, "my-passphrase");
      await ask();
      expect(used.PULUMI_CONFIG_PASSPHRASE_FILE).not.toBe(passphrase());
      expect(existsSync(passphrase())).toBe(false);
    },
  );

  const read = async (text?: string) => {
    const { env } = await openStack("dev", text);
    expect(env.PULUMI_OPTION_CONFIG_FILE).not.toBe(fileOf("dev"));
    return readFileSync(env.PULUMI_OPTION_CONFIG_FILE, "utf8");
  };

  test("reads a copy of the stack's file, or of other settings, and writes no salt into the file", async () => {
    expect(await read()).toBe("");
    writeFileSync(fileOf("dev"), "config: {}\n");
    expect(await read()).toBe("config: {}\n");
    expect(await read("config:\n  event-pipeline:mode: bare\n")).toContain("bare");
  });

  test("does not read the salt that a wrong passphrase of plain pulumi left in a file without secrets", async () => {
    const salted = "encryptionsalt: v1:wrong\nconfig: {}\n";
    const secret = `${salted}# secure: x\n`;
    expect(await read(salted)).toBe(salted);
    pulumi.state.salt = "v1:right";
    expect(await read(salted)).toBe("config: {}\n");
    expect(await read(secret)).toBe(secret);
    pulumi.state.salt = "v1:wrong";
    expect(await read(salted)).toBe(salted);
  });
});
