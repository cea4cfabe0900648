import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBrokerConnection } from "../../../contract/broker.ts";
import type { UserError } from "../../../contract/errors.ts";
import { EVENT_TOPICS, topicSpecs } from "../../../contract/topics.ts";
import { collectionEntries } from "../../../warehouse/epochs/collection-entries.ts";
import { useFolder } from "../../support/use-folder.ts";

const directory = useFolder("test-connection");

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

describe("connection from the environment", () => {
  test("plain: only the address", () => {
    expect(readBrokerConnection({ KAFKA_BOOTSTRAP_SERVERS: "kafka-1.example:9092, b:9" })).toEqual({
      bootstrap: ["kafka-1.example:9092", "b:9"],
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

  test("empty variables count as unset", () => {
    const empty = {
      KAFKA_TLS_CA: "",
      KAFKA_TLS_CA_FILE: "",
      KAFKA_SASL_MECHANISM: "",
      KAFKA_SASL_USERNAME: "",
    };
    const plain = { bootstrap: ["a:1"], tls: null, sasl: null };
    const address = { KAFKA_BOOTSTRAP_SERVERS: "a:1" };
    expect(readBrokerConnection({ ...address, ...empty })).toEqual(plain);
    expect(readBrokerConnection({ ...address, KAFKA_TLS: undefined })).toEqual(plain);
    const encrypted = { ...plain, tls: {} };
    expect(readBrokerConnection({ ...address, ...empty, KAFKA_TLS: "true" })).toStrictEqual(
      encrypted,
    );
  });

  test("certificate and password values take precedence over files", () => {
    const connection = readBrokerConnection({
      KAFKA_BOOTSTRAP_SERVERS: "a:1",
      KAFKA_TLS: "true",
      KAFKA_TLS_CA: "certificate",
      KAFKA_TLS_CA_FILE: "/nowhere",
      KAFKA_SASL_MECHANISM: "PLAIN",
      KAFKA_SASL_USERNAME: "user",
      KAFKA_SASL_PASSWORD: " secret\n",
      KAFKA_SASL_PASSWORD_FILE: "/nowhere",
    });
    expect(connection).toEqual({
      bootstrap: ["a:1"],
      tls: { ca: "certificate" },
      sasl: { mechanism: "PLAIN", username: "user", password: "secret" },
    });
  });

  test("a refusal has a hint", () => {
    const next = (environment: Record<string, string>) => {
      try {
        return readBrokerConnection(environment);
      } catch (error) {
        return (error as UserError).hint;
      }
    };
    expect(next({})).toContain("KAFKA_BOOTSTRAP_SERVERS=localhost:9092");
    expect(next({ KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_SASL_MECHANISM: "PLAIN" })).toContain(
      "unset KAFKA_SASL_MECHANISM",
    );
    const unreadable = { KAFKA_TLS: "true", KAFKA_TLS_CA_FILE: "/nowhere" };
    expect(next({ KAFKA_BOOTSTRAP_SERVERS: "a:1", ...unreadable })).toContain("ls -l /nowhere");
  });

  test.each(["a", "a:123456", "a b:9092"])("refuses the address %j", (address) => {
    expect(() => readBrokerConnection({ KAFKA_BOOTSTRAP_SERVERS: address })).toThrow(
      `KAFKA_BOOTSTRAP_SERVERS=${address} is not valid`,
    );
  });

  test.each([
    [{}, /KAFKA_BOOTSTRAP_SERVERS is not set\. Allowed: host:port/],
    [
      { KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_TLS: "perhaps" },
      /KAFKA_TLS=perhaps is not valid\. Allowed: true or false/,
    ],
    [
      { KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_SASL_MECHANISM: "GSSAPI" },
      /Allowed: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512/,
    ],
    [
      { KAFKA_BOOTSTRAP_SERVERS: "a:1", KAFKA_SASL_MECHANISM: "PLAIN", KAFKA_SASL_PASSWORD: "p" },
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

test("the event topics have four partitions and a week; the others have one partition", () => {
  const specs = topicSpecs();
  expect(specs).toHaveLength(EVENT_TOPICS.length + 4);
  for (const { name, partitions, configs } of specs) {
    const isEvent = EVENT_TOPICS.includes(name as (typeof EVENT_TOPICS)[number]);
    expect([name, partitions]).toEqual([name, isEvent ? 4 : 1]);
    if (!isEvent) continue;
    expect(configs).toMatchObject({
      "retention.ms": "604800000",
      "retention.bytes": "536870912",
      "segment.bytes": "67108864",
    });
  }
});
