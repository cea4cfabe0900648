import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readInputs } from "../../../components/inputs.ts";

let root: string;
vi.mock("../../../components/shared/state.ts", async (original) => ({
  ...(await original<object>()),
  get ROOT() {
    return root;
  },
  stackFolder: (stack: string) => join(root, ".state", stack),
}));
const { projectConfig } = await import("../../../stack/lifecycle/local-config.ts");

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
  return { program: readInputs, commandLine: () => projectConfig("dev") };
}

describe("the program and the command line accept the same forms", () => {
  test.each([
    ["a flag in YAML", { file: "protectData: true", texts: { protectData: "true" } }],
    [
      "a flag of pulumi config set",
      { file: 'protectData: "true"', texts: { protectData: "true" } },
    ],
    ["a block in YAML", { file: "kafka:\n  port: 9093", texts: { kafka: '{"port":9093}' } }],
    [
      "a block of pulumi config set",
      { file: `kafka: '{"port":9093}'`, texts: { kafka: '{"port":9093}' } },
    ],
    ["an empty block", { file: "kafka:", texts: { kafka: "" } }],
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
    const { config, secrets } = program();
    const local = commandLine();
    expect(local.config).toEqual(config);
    expect([...local.configured]).toEqual(Object.keys(secrets));
    expect(config).toMatchObject({
      protectData: "protectData" in written.texts,
      kafka: { port: written.texts.kafka ? 9093 : 9092 },
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
        file: "prometheus:\n  port:\n    secure: v1:x",
        texts: { prometheus: '{"port":9091}' },
        encrypted: ["prometheus"],
      },
      "event-pipeline:prometheus has an encrypted value",
      "pulumi config set --secret event-pipeline:<secret>",
    ],
    [
      "an encrypted value where the address of alerts was before",
      {
        file: "grafana:\n  alertWebhook:\n    secure: v1:x",
        texts: { grafana: '{"alertWebhook":"https://hooks.example/x"}' },
        encrypted: ["grafana"],
      },
      "these secrets may be encrypted: adminPassword, ",
      "pulumi config set --secret event-pipeline:<secret>",
    ],
    [
      "an encrypted key that does not exist",
      {
        file: "kafkaPasword:\n  secure: v1:x",
        texts: { kafkaPasword: "chosen" },
        encrypted: ["kafkaPasword"],
      },
      "kafkaPasword: unknown key",
      "Pulumi.",
    ],
    [
      "an external Kafka without its password",
      {
        file: "kafka:\n  mode: external\n  bootstrap: b:1\n  security:\n    mechanism: PLAIN\n    username: u",
        texts: {
          kafka: JSON.stringify({
            mode: "external",
            bootstrap: "b:1",
            security: { mechanism: "PLAIN", username: "u" },
          }),
        },
      },
      "kafka.security.mechanism needs the secret kafkaPassword",
      "pulumi config set --secret event-pipeline:kafkaPassword",
    ],
    [
      "an external ClickHouse without its password",
      {
        file: "clickhouse:\n  mode: external\n  url: https://db.example\n  ingest: service",
        texts: { clickhouse: '{"mode":"external","url":"https://db.example","ingest":"service"}' },
      },
      "clickhouse.mode=external needs the secret clickhousePassword",
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
