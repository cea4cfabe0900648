import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { quote } from "../../../components/shared/shell.ts";

let root = "/";
vi.mock("../../../components/shared/state.ts", async (original) => ({
  ...(await original<object>()),
  get ROOT() {
    return root;
  },
  stackFolder: (stack: string) => join(root, ".state", stack),
}));
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
const { pulumiEnvironment } = await import("../../../stack/lifecycle/workspace.ts");
const { configWith, copyConfig, projectValues, stackFile } = await import(
  "../../../stack/lifecycle/stack-file.ts"
);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stack-file-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(root, name), text);

test("a stack without a file has no settings", () => {
  expect(projectValues("dev")).toEqual(new Map());
});

test("settings of the project are read as the text that Pulumi passes to the program", () => {
  write(
    "Pulumi.dev.yaml",
    "config:\n  other:key: 1\n  event-pipeline:mode: bare\n  event-pipeline:brokerPassword:\n    secure: x\n",
  );
  expect(projectValues("dev").get("mode")).toEqual({ text: "bare", isEncrypted: false });
  expect(projectValues("dev").get("brokerPassword")?.isEncrypted).toBe(true);
  expect([...projectValues("dev").keys()]).toEqual(["mode", "brokerPassword"]);
});

test("a block written as JSON text keeps its other settings", () => {
  write("Pulumi.dev.yaml", `config:\n  event-pipeline:network: '{"bind":"0.0.0.0"}'\n`);
  const text = configWith("dev", undefined, [["network.portOffset", 5]]);
  expect(parse(text).config).toEqual({
    "event-pipeline:network": { bind: "0.0.0.0", portOffset: 5 },
  });
});

test("a new stack copies a configuration without its encryption", () => {
  write("Pulumi.offline.yaml", "encryptionsalt: v1\nconfig:\n  event-pipeline:mode: live\n");
  expect(copyConfig("one", "offline")).toBe(true);
  expect(parse(readFileSync(stackFile("one"), "utf8"))).toEqual({
    config: { "event-pipeline:mode": "live" },
  });
});

test("a stack with a file keeps it", () => {
  write("Pulumi.offline.yaml", "config:\n  event-pipeline:mode: live\n");
  write("Pulumi.one.yaml", "config:\n  event-pipeline:mode: bare\n");
  expect(copyConfig("one", "offline")).toBe(false);
  expect(projectValues("one").get("mode")?.text).toBe("bare");
});

test("a missing configuration is named", () => {
  expect(() => copyConfig("one", "offlin")).toThrow(/no configuration .*Pulumi\.offlin\.yaml/);
  expect(existsSync(stackFile("one"))).toBe(false);
});

describe("a generated passphrase", () => {
  const passphrase = () => join(root, ".state/dev/passphrase");
  const SALT = "encryptionsalt: v1:x:y\n";

  beforeEach(() => {
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE", undefined);
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", undefined);
  });
  afterEach(() => void vi.unstubAllEnvs());

  test("is not generated again for a file that the lost one has encrypted", async () => {
    write("Pulumi.dev.yaml", SALT);
    await expect(pulumiEnvironment("dev")).rejects.toMatchObject({
      name: "UserError",
      message: `The passphrase of ${stackFile("dev")} is neither in ${passphrase()} nor in PULUMI_CONFIG_PASSPHRASE`,
      hint: `restore it; or, if it is lost, run sed -i.bak '/^encryptionsalt:/d' ${quote(stackFile("dev"))}, then retry`,
    });
    expect(existsSync(passphrase())).toBe(false);
  });

  test("is not generated again for encrypted settings, which are named", async () => {
    write("Pulumi.dev.yaml", `${SALT}config:\n  event-pipeline:brokerPassword:\n    secure: x\n`);
    await expect(pulumiEnvironment("dev")).rejects.toMatchObject({
      hint: `restore it; or, if it is lost, remove encryptionsalt and brokerPassword from ${stackFile("dev")}, then retry`,
    });
  });

  test("is used again while it exists", async () => {
    await pulumiEnvironment("dev");
    write("Pulumi.dev.yaml", SALT);
    const expected = { PULUMI_CONFIG_PASSPHRASE_FILE: passphrase() };
    expect(await pulumiEnvironment("dev")).toMatchObject(expected);
  });

  test("is not needed beside the user's own", async () => {
    write("Pulumi.dev.yaml", SALT);
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE", "own");
    expect(await pulumiEnvironment("dev")).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
  });
});
