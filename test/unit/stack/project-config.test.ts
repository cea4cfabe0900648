import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config-rules.ts";
import { readInputs } from "../../../components/inputs.ts";

beforeAll(async () => {
  const newResource = ({ name }: { name: string }) => ({ id: name, state: {} });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "event-pipeline", "dev");
});

/** A value in the stack's file, and its text that Pulumi 3.265 passes to the program. */
interface Written {
  readonly value: unknown;
  readonly text?: string;
}
const ENCRYPTED = { secure: "v1:x" };

/** Sets a value as Pulumi does. */
function configure(key: string, { value, text = JSON.stringify(value) }: Written): void {
  const name = `event-pipeline:${key}`;
  const isEncrypted = JSON.stringify(value).includes("secure");
  pulumi.runtime.setAllConfig({ [name]: text }, isEncrypted ? [name] : []);
}

describe("the program accepts", () => {
  test.each<[string, string, Written, object]>([
    ["a flag", "protectData", { value: true }, { protectData: true }],
    [
      "a block of pulumi config set",
      "kafka",
      { value: '{"port":9093}', text: '{"port":9093}' },
      { kafka: { port: 9093 } },
    ],
    ["a word", "mode", { value: "bare", text: "bare" }, { mode: "bare" }],
    ["a secret", "adminPassword", { value: ENCRYPTED, text: "chosen" }, {}],
  ])("%s", (_, key, written, expected) => {
    configure(key, written);
    const { secrets = {}, overrides, ...settings } = readInputs();
    expect(settings).toEqual(expected);
    expect(overrides).toEqual({});
    expect(Object.keys(secrets)).toEqual(key === "adminPassword" ? [key] : []);
  });
});

test("the program refuses a variable of the shell that the stack sets", () => {
  pulumi.runtime.setAllConfig({});
  vi.stubEnv("GEN_DATA_DIR", "/x");
  expect(readInputs).toThrow("GEN_DATA_DIR=/x: fixed");
  vi.unstubAllEnvs();
});

test("a pipeline names every missing secret, and every other problem", () => {
  const security = { mechanism: "PLAIN", username: "u" };
  const settings = {
    kafka: { mode: "external", bootstrap: "b:1", security },
    clickhouse: { mode: "external", url: "https://db.example" },
    generator: { port: 3000 },
  };
  expect(() => parseStackConfig(settings, new Set(["adminPassword"]))).toThrow(
    /port 3000\/tcp.*\n.*kafkaPassword.*\n.*clickhousePassword/,
  );
});

describe("the program refuses", () => {
  const SECRET = "pulumi config set --secret event-pipeline:";

  test.each<[string, string, Written, string, string]>([
    [
      "a secret in plain text",
      "adminPassword",
      { value: "chosen", text: "chosen" },
      "event-pipeline:adminPassword is in plain text",
      `${SECRET}adminPassword`,
    ],
    [
      "an encrypted value in a block",
      "prometheus",
      { value: { port: ENCRYPTED }, text: '{"port":9091}' },
      "event-pipeline:prometheus has an encrypted value",
      `${SECRET}<secret>`,
    ],
  ])("%s", (_, key, written, message, hint) => {
    configure(key, written);
    expect(readInputs).toThrow(new RegExp(`${message}.*\n +hint: .*${hint}`));
  });
});

test.each([
  [
    "alertWebhook",
    "hooks.example/token",
    "alertWebhook: must be an address like https://host/path",
  ],
  ["kafka", '{"bootstrap":"token","mode":"token"}', "event-pipeline:kafka has an encrypted value"],
])("the program refuses a wrong encrypted %s, and does not print it", (key, text, message) => {
  configure(key, { value: ENCRYPTED, text });
  expect(readInputs).toThrow(message);
  expect(readInputs).not.toThrow("token");
});
