import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrokerConnection } from "../../contract/broker.ts";
import { openBroker } from "../../kafka/client.ts";
import { waitForConsumers } from "../../kafka/consumer-lag.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { waitForStartup } from "../../kafka/startup.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { TestBroker } from "./broker.ts";
import { exactly, openConsumer, storedNumbers } from "./consumer.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";

const PASSWORD = 'it\'s \\ "secret"';
const STORE_PASSWORD = "changeit";

describeKafka("a broker that asks for TLS and a password", () => {
  const directory = mkdtempSync(join(tmpdir(), "test-secure-"));
  let broker: TestBroker;
  let connection: BrokerConnection;

  beforeAll(async () => {
    const ca = makeCertificate(directory);
    broker = await TestBroker.start(secured(directory));
    connection = {
      bootstrap: [broker.secureBootstrap],
      tls: { ca },
      sasl,
    };
  });
  afterAll(async () => {
    await broker?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it("carries messages from the publisher to the Kafka engine", async () => {
    const admin = await openBroker(connection, "test");
    await ensureTopics(admin, { database: null });
    const db = await openConsumer(join(directory, "data"), connection);
    await ensureTopics(admin, { database: db });
    const publisher = await KafkaPublisher.open({ connection, instance: "secure" });
    await publisher.publishBatch(numbered(0, 300), { state: { next: 300 } });
    await publisher.close();
    await waitFor("all messages are stored", () => waitForConsumers(admin, 1_000));
    expect(await storedNumbers(db, "browser")).toEqual(exactly(300));
    await db.close();
    await admin.close();
  });

  const cases: [string, (right: BrokerConnection) => BrokerConnection, RegExp][] = [
    ["a wrong password", (right) => ({ ...right, sasl: { ...sasl, password: "wrong" } }), /SASL/],
    ["an unknown certificate", (right) => ({ ...right, tls: {} }), /certificate|self.signed/i],
    ["no TLS at all", (right) => ({ ...right, tls: null, sasl: null }), /cannot be reached/],
  ];
  it("reports a wrong password at once instead of waiting for a start", async () => {
    const wrong = { ...connection, sasl: { ...sasl, password: "wrong" } };
    // This is longer than the test's time limit, so a command that waits fails the test.
    await expect(waitForStartup(wrong, 3_600)).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be reached: .*SASL/),
    });
    await waitForStartup(connection, 1);
  });

  it.each(cases)("explains %s", async (_, change, reason) => {
    await expect(openBroker(change(connection), "test")).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(reason),
    });
  });
});

const sasl = { mechanism: "PLAIN", username: "pipeline", password: PASSWORD } as const;

/** Creates a key pair with a certificate for `localhost`; returns the certificate as PEM. */
function makeCertificate(directory: string): string {
  const store = ["-keystore", "broker.p12", "-storepass", STORE_PASSWORD, "-alias", "broker"];
  keytool(directory, [
    ...["-genkeypair", "-keyalg", "RSA", "-validity", "2", "-storetype", "PKCS12"],
    ...["-dname", "CN=localhost", "-ext", "SAN=DNS:localhost,IP:127.0.0.1", ...store],
  ]);
  keytool(directory, ["-exportcert", "-rfc", "-file", "ca.pem", ...store]);
  return readFileSync(join(directory, "ca.pem"), "utf8");
}

function keytool(directory: string, options: readonly string[]): void {
  const { status, stdout } = spawnSync("keytool", options, { cwd: directory, encoding: "utf8" });
  if (status !== 0) throw new Error(`keytool failed: ${stdout}`);
}

const secured = (directory: string): Record<string, string> => {
  const login = "org.apache.kafka.common.security.plain.PlainLoginModule required";
  const secret = JSON.stringify(PASSWORD);
  return {
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    // A properties file reads a backslash as an escape.
    "listener.name.secure.plain.sasl.jaas.config":
      `${login} username="pipeline" password=${secret} user_pipeline=${secret};`.replaceAll(
        "\\",
        "\\\\",
      ),
    "ssl.keystore.location": join(directory, "broker.p12"),
    "ssl.keystore.password": STORE_PASSWORD,
    "ssl.keystore.type": "PKCS12",
  };
};
