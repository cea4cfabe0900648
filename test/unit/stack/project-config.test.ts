import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readInputs } from "../../../components/resources/inputs.ts";

let root: string;
vi.mock("../../../components/shared/state.ts", async (original) => ({
  ...(await original<object>()),
  get ROOT() {
    return root;
  },
  stackFolder: (stack: string) => join(root, ".state", stack),
}));
const { localContext } = await import("../../../stack/lifecycle/local-plan.ts");

beforeAll(() =>
  pulumi.runtime.setMocks(
    { newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) },
    "event-pipeline",
    "dev",
  ),
);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "project-config-"));
});
afterEach(() => rmSync(root, { recursive: true }));

interface Written {
  /** Lines below `config:`, without the project's name. */
  readonly file: string;
  /** Configuration that Pulumi 3.265 passes to the program for them. */
  readonly texts: Readonly<Record<string, string>>;
  readonly encrypted?: readonly string[];
}

/** Reads the same configuration as the program and as the command line. */
function readers({ file, texts, encrypted = [] }: Written) {
  const lines = file.split("\n").map((line) => line.replace(/^(?=\w)/, "event-pipeline:"));
  writeFileSync(join(root, "Pulumi.dev.yaml"), `config:\n  ${lines.join("\n  ")}\n`);
  const key = (name: string) => `event-pipeline:${name}`;
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [key(name), text])),
    encrypted.map(key),
  );
  return { program: readInputs, commandLine: () => localContext("dev") };
}

describe("the program and the command line accept the same forms", () => {
  test.each([
    ["a flag in YAML", { file: "protectData: true", texts: { protectData: "true" } }],
    [
      "a flag of pulumi config set",
      { file: 'protectData: "true"', texts: { protectData: "true" } },
    ],
    ["a block in YAML", { file: "broker:\n  port: 9093", texts: { broker: '{"port":9093}' } }],
    [
      "a block of pulumi config set",
      { file: `broker: '{"port":9093}'`, texts: { broker: '{"port":9093}' } },
    ],
    ["an empty block", { file: "broker:", texts: { broker: "" } }],
    ["a word", { file: "mode: bare", texts: { mode: "bare" } }],
    [
      "a secret",
      {
        file: "adminPassword:\n  secure: v1:x",
        texts: { adminPassword: "chosen" },
        encrypted: ["adminPassword"],
      },
    ],
  ])("%s", (_, written: Written) => {
    const { program, commandLine } = readers(written);
    const { config, configured } = program();
    const local = commandLine();
    expect(local.config).toEqual(config);
    expect([...local.configured]).toEqual([...configured.keys()]);
    expect(config).toMatchObject({
      protectData: "protectData" in written.texts,
      broker: { port: written.texts.broker ? 9093 : 9092 },
      mode: written.texts.mode ?? "live",
    });
  });
});

describe("both refuse", () => {
  test.each([
    [
      "a secret in plain text",
      { file: "adminPassword: chosen", texts: { adminPassword: "chosen" } },
      "event-pipeline:adminPassword is in plain text",
      "pulumi config set --secret event-pipeline:adminPassword",
    ],
    [
      "an encrypted value in a block",
      {
        file: "metrics:\n  port:\n    secure: v1:x",
        texts: { metrics: '{"port":9091}' },
        encrypted: ["metrics"],
      },
      "event-pipeline:prometheus has an encrypted value",
      "pulumi config set --secret event-pipeline:<secret>",
    ],
    [
      "an encrypted value where the address of alerts was before",
      {
        file: "dashboards:\n  alertWebhook:\n    secure: v1:x",
        texts: { dashboards: '{"alertWebhook":"https://hooks.example/x"}' },
        encrypted: ["dashboards"],
      },
      "these secrets may be encrypted: adminPassword, ",
      "pulumi config set --secret event-pipeline:<secret>",
    ],
    [
      "an encrypted key that does not exist",
      {
        file: "brokerPasword:\n  secure: v1:x",
        texts: { brokerPasword: "chosen" },
        encrypted: ["brokerPasword"],
      },
      "brokerPasword: unknown key",
      "Pulumi.",
    ],
    [
      "an external broker without its password",
      {
        file: "broker:\n  mode: external\n  bootstrap: b:1\n  security:\n    mechanism: PLAIN\n    username: u",
        texts: {
          broker: JSON.stringify({
            mode: "external",
            bootstrap: "b:1",
            security: { mechanism: "PLAIN", username: "u" },
          }),
        },
      },
      "broker.security.mechanism needs the secret kafkaPassword",
      "pulumi config set --secret event-pipeline:kafkaPassword",
    ],
    [
      "an external database without its password",
      {
        file: "database:\n  mode: external\n  url: https://db.example",
        texts: { database: '{"mode":"external","url":"https://db.example"}' },
      },
      "database.mode=external needs the secret clickhousePassword",
      "pulumi config set --secret event-pipeline:clickhousePassword",
    ],
  ])("%s", (_, written: Written, message, hint) => {
    const refusal = expect.objectContaining({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
    const { program, commandLine } = readers(written);
    expect(program).toThrow(refusal);
    expect(commandLine).toThrow(refusal);
    expect(commandLine).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("make -s env STACK=dev") }),
    );
  });
});

test("the program refuses an invalid alert address, and does not print it", () => {
  const { program } = readers({
    file: "alertWebhook:\n  secure: v1:x",
    texts: { alertWebhook: "hooks.example/token" },
    encrypted: ["alertWebhook"],
  });
  expect(program).toThrow("alertWebhook: must be an address like https://host/path");
  expect(program).not.toThrow("token");
});
