import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test, vi } from "vitest";
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
    const { secrets, overrides, ...config } = readInputs();
    expect(config).toMatchObject(expected);
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

test("the program names every missing secret, and every other problem", () => {
  const security = { mechanism: "PLAIN", username: "u" };
  pulumi.runtime.setAllConfig({
    "event-pipeline:kafka": JSON.stringify({ mode: "external", bootstrap: "b:1", security }),
    "event-pipeline:clickhouse": '{"mode":"external","url":"https://db.example"}',
    "event-pipeline:adminPassword": "in plain text",
    "event-pipeline:generator": '{"port":3000}',
  });
  expect(readInputs).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /adminPassword is in plain text.*\n.*port 3000\/tcp.*\n.*kafkaPassword.*\n.*clickhousePassword/,
      ),
    }),
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
    [
      "an encrypted key that does not exist",
      "kafkaPasword",
      { value: ENCRYPTED, text: "chosen" },
      "unknown key kafkaPasword; did you mean kafkaPassword?",
      "Pulumi.",
    ],
  ])("%s", (_, key, written, message, hint) => {
    configure(key, written);
    const refusal = expect.objectContaining({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
    expect(readInputs).toThrow(refusal);
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
