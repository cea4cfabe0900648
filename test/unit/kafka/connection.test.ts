import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readBrokerConnection } from "../../../contract/broker.ts";
import { DEFAULT_SIZING, EVENT_TOPICS, topicSpecs } from "../../../contract/topics.ts";
import { collectionEntries } from "../../../pipeline/broker/collection-entries.ts";

const directory = mkdtempSync(join(tmpdir(), "test-connection-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

describe("connection from the environment", () => {
  test("plain: only the address", () => {
    expect(readBrokerConnection({ KAFKA_BOOTSTRAP_SERVERS: "a:9092, b:9093" })).toEqual({
      bootstrap: ["a:9092", "b:9093"],
      tls: null,
      sasl: null,
    });
  });

  test("secured: certificates and the password come from files", () => {
    const connection = readBrokerConnection({
      KAFKA_BOOTSTRAP_SERVERS: "a:9092",
      KAFKA_TLS: "true",
      KAFKA_TLS_CA_FILE: file("ca.pem", "certificate"),
      KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
      KAFKA_SASL_USERNAME: "user",
      KAFKA_SASL_PASSWORD_FILE: file("password", "it's \\ secret\n"),
    });
    expect(connection).toEqual({
      bootstrap: ["a:9092"],
      tls: { ca: "certificate" },
      sasl: { mechanism: "SCRAM-SHA-512", username: "user", password: "it's \\ secret" },
    });
    expect(collectionEntries(connection)).toMatchObject({
      kafka_broker_list: "a:9092",
      kafka_security_protocol: "sasl_ssl",
      kafka_sasl_mechanism: "SCRAM-SHA-512",
      kafka_sasl_username: "user",
      kafka_sasl_password: "it's \\ secret",
      "kafka.ssl_ca_pem": "certificate",
      "kafka.session_timeout_ms": "10000",
    });
  });

  test.each([
    [{}, /KAFKA_BOOTSTRAP_SERVERS is not set\. Allowed: host:port/],
    [{ KAFKA_BOOTSTRAP_SERVERS: "localhost" }, /KAFKA_BOOTSTRAP_SERVERS=localhost is not valid/],
    [{ KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_TLS: "perhaps" }, /KAFKA_TLS=perhaps is not valid/],
    [{ KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_SASL_MECHANISM: "GSSAPI" }, /Allowed: PLAIN, SCRAM/],
    [
      { KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_SASL_MECHANISM: "PLAIN" },
      /KAFKA_SASL_USERNAME is not/,
    ],
    [
      { KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_SASL_MECHANISM: "PLAIN", KAFKA_SASL_USERNAME: "u" },
      /KAFKA_SASL_PASSWORD or KAFKA_SASL_PASSWORD_FILE is not/,
    ],
    [
      { KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_TLS: "true", KAFKA_TLS_CA_FILE: "/nowhere" },
      /KAFKA_TLS_CA_FILE=\/nowhere cannot be read/,
    ],
  ])("refuses %j", (environment, message) => {
    expect(() => readBrokerConnection(environment)).toThrow(message);
  });
});

describe("topics", () => {
  test("event topics are bounded by time and size, the others compacted or few", () => {
    const specs = new Map(topicSpecs().map((spec) => [spec.name, spec]));
    for (const topic of EVENT_TOPICS) {
      expect(specs.get(topic)).toMatchObject({
        partitions: DEFAULT_SIZING.partitions,
        configs: {
          "cleanup.policy": "delete",
          "retention.ms": String(7 * 24 * 3_600_000),
          "retention.bytes": String(512 * 1024 * 1024),
        },
      });
    }
    const compacted = [...specs.values()].filter(
      ({ configs }) => configs["cleanup.policy"] === "compact",
    );
    expect(compacted.map(({ name, partitions }) => [name, partitions])).toEqual([
      ["generator_state", 1],
      ["generator_manifest", 1],
      ["pipeline_epoch", 1],
    ]);
  });

  test("several brokers: a write survives the loss of one", () => {
    const of = (replicas: number) =>
      topicSpecs({ ...DEFAULT_SIZING, replicas }).map(
        ({ configs }) => configs["min.insync.replicas"],
      );
    expect(new Set(of(1))).toEqual(new Set(["1"]));
    expect(new Set(of(3))).toEqual(new Set(["2"]));
  });
});
