import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { quote } from "../../../terminal/shell.ts";
import { fakeWorkspace } from "./fake-workspace.ts";
import { copyOf, emptyRoot } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
vi.mock("@pulumi/pulumi/automation/index.js", async (original) => ({
  ...(await original<object>()),
  LocalWorkspace: { create: async (options: object) => fakeWorkspace(options) },
  PulumiCommand: { get: async () => ({}) },
}));
const { shellExports } = await import("../../../stack/lifecycle/env.ts");
const { pulumiEnvironment } = await import("../../../stack/lifecycle/workspace.ts");

const root = emptyRoot();
const folder = () => join(root(), ".state");

beforeEach(() => {
  for (const name of [
    "PULUMI_BACKEND_URL",
    "PULUMI_CONFIG_PASSPHRASE",
    "PULUMI_CONFIG_PASSPHRASE_FILE",
  ]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("PULUMI_HOME", folder());
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => void vi.unstubAllEnvs());

describe("the backend", () => {
  test("is the one of Pulumi.yaml by default", async () => {
    expect(await pulumiEnvironment("dev")).toMatchObject({
      PULUMI_BACKEND_URL: `file://${folder()}/backend?create_dir=true`,
      PULUMI_CONFIG_PASSPHRASE_FILE: join(folder(), "stacks/dev/passphrase"),
    });
    const { backend } = parse(
      readFileSync(join(import.meta.dirname, "../../../Pulumi.yaml"), "utf8"),
    );
    expect(backend).toEqual({ url: "file://.state/backend?create_dir=true" });
  });

  test.each([
    ["file:///elsewhere", () => "file:///elsewhere"],
    ["file://mine", () => `file://${join(root(), "mine")}`],
    ["https://api.example", () => "https://api.example"],
  ])("of PULUMI_BACKEND_URL=%s", async (given, used) => {
    vi.stubEnv("PULUMI_BACKEND_URL", given);
    expect(await pulumiEnvironment("dev")).toMatchObject({ PULUMI_BACKEND_URL: used() });
  });
});

test.each(["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"])(
  "the passphrase is the user's own in %s",
  async (name) => {
    vi.stubEnv(name, "");
    const environment = await pulumiEnvironment("dev");
    expect(environment).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
  },
);

test("the configuration is the stack's own, also for plain pulumi", async () => {
  const variable = (file: string) => ({ PULUMI_OPTION_CONFIG_FILE: join(root(), file) });
  expect(await pulumiEnvironment("dev")).toMatchObject(variable("Pulumi.dev.yaml"));
  expect(await shellExports("dev")).toContain(
    `export PULUMI_OPTION_CONFIG_FILE=${quote(copyOf("dev"))}`,
  );
  expect(await pulumiEnvironment("mine")).toMatchObject(variable("Pulumi.mine.yaml"));
});

test("ignores the passphrase of another stack that make env exported", async () => {
  vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", join(folder(), "stacks/a/passphrase"));
  const file = join(folder(), "stacks/b/passphrase");
  expect(await pulumiEnvironment("b")).toMatchObject({ PULUMI_CONFIG_PASSPHRASE_FILE: file });
  expect(await shellExports("b")).toContain(`export PULUMI_CONFIG_PASSPHRASE_FILE=${quote(file)}`);
});
