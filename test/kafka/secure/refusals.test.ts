import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrokerConnection } from "../../../contract/broker.ts";
import { CONSUMER_GROUP, topicSpecs } from "../../../contract/topics.ts";
import { BROKER_RIGHTS, type Right } from "../../../kafka/rights.ts";
import { ensureTopics, resetTopics } from "../../../warehouse/epochs/topics.ts";
import { pipelineAsync } from "../../support/cli.ts";
import { itLong } from "../../support/long-cases.ts";
import { sampleOf } from "../../support/sample.ts";
import { useFolder } from "../../support/use-folder.ts";
import { environmentOf } from "../connection.ts";
import { GeneratorProcess } from "../generator.ts";
import { describeKafka } from "../harness.ts";
import { SecureBroker } from "./broker.ts";
import { makeCertificates } from "./certificates.ts";

const GRANT =
  "grant them to the user; docs/how-to/use-your-own-kafka-or-clickhouse.md#rights lists all";
const LOGIN =
  /hint: set the user's password: pulumi config set --secret event-pipeline:kafkaPassword/;

describeKafka("a secured broker that refuses", () => {
  let broker: SecureBroker;
  let right: BrokerConnection;
  const directory = useFolder("other-ca");
  beforeAll(async () => {
    broker = await SecureBroker.start();
    right = await broker.addUser("pipeline");
  });
  afterAll(() => broker?.stop());

  // The wait is longer than the test's time limit, so a command that waits fails the test.
  const topics = (connection: BrokerConnection, ...more: string[]) =>
    pipelineAsync(["topics", "--wait", "3600", ...more], environmentOf(connection));
  const sasl = (change: Partial<NonNullable<BrokerConnection["sasl"]>>): BrokerConnection => ({
    ...right,
    sasl: right.sasl && { ...right.sasl, ...change },
  });

  const cases: [string, () => BrokerConnection, RegExp, RegExp][] = [
    [
      "another CA",
      () => ({ ...right, tls: { ca: makeCertificates(directory, "DNS:localhost").ca } }),
      /^error: The certificate of Kafka at localhost:\d+ is not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)\n/,
      /hint: set the stack's kafka.security.ca, or KAFKA_TLS_CA_FILE, to the PEM of the authority/,
    ],
    [
      "no CA",
      () => ({ ...right, tls: {} }),
      /^error: The certificate of Kafka at localhost:\d+ is not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)\n/,
      /hint: set the stack's kafka.security.ca, /,
    ],
    [
      "an address that the certificate lacks",
      () => ({
        ...right,
        bootstrap: right.bootstrap.map((at) => at.replace("localhost", "127.0.0.1")),
      }),
      /^error: The certificate of Kafka at 127.0.0.1:\d+ is for DNS:localhost\n/,
      /hint: use an address that the certificate names/,
    ],
    [
      "a wrong password",
      () => sasl({ password: "wrong" }),
      /^error: Kafka at localhost:\d+ rejected the user pipeline \(SCRAM-SHA-512\): SASL authentication failed.\n/,
      LOGIN,
    ],
    [
      "an unknown user",
      () => sasl({ username: "nobody" }),
      /^error: Kafka at localhost:\d+ rejected the user nobody \(SCRAM-SHA-512\): SASL authentication failed.\n/,
      LOGIN,
    ],
    [
      "another mechanism",
      () => sasl({ mechanism: "SCRAM-SHA-256" }),
      /^error: Kafka at localhost:\d+ rejected the user pipeline \(SCRAM-SHA-256\): .*mechanism.\n/,
      LOGIN,
    ],
    [
      "a connection without TLS",
      () => ({ ...right, tls: null, sasl: null }),
      /^error: Kafka at localhost:\d+ cannot be reached: Broker requires TLS.\n/,
      /hint: \S/,
    ],
  ];
  it.each(sampleOf(cases, 2))(
    "reports %s at once, in one line and one hint",
    async (_, change, error, hint) => {
      const { status, stderr, stdout } = await topics(change());
      expect(stderr).toMatch(error);
      expect(stderr).toMatch(hint);
      expect(stderr.trim().split("\n")).toHaveLength(2);
      expect([status, stdout]).toEqual([1, ""]);
    },
  );

  const without = (operation: Right["operation"], resource: Right["resource"]) =>
    broker.addUser(
      `without-${operation}-${resource}`,
      BROKER_RIGHTS.filter((each) => each.operation !== operation || each.resource !== resource),
    );
  const ALL = topicSpecs()
    .map(({ name }) => name)
    .join(", ");
  const denials: [Right["operation"], Right["resource"], string, string[]][] = [
    ["CREATE", "TOPIC", `CREATE on the topic ${ALL}`, []],
    ["ALTER_CONFIGS", "TOPIC", `ALTER_CONFIGS on the topic ${ALL}`, []],
    ["READ", "TOPIC", `READ on the topic ${ALL}`, []],
    ["WRITE", "TOPIC", `WRITE on the topic ${ALL}`, []],
    ["READ", "GROUP", `READ on the consumer group ${CONSUMER_GROUP}`, []],
    ["WRITE", "TRANSACTIONAL_ID", "WRITE on the transactional id event-pipeline-*", []],
    ["DELETE", "TOPIC", `DELETE on the topic ${ALL}`, ["--reset"]],
    ["DELETE", "GROUP", `DELETE on the consumer group ${CONSUMER_GROUP}`, ["--reset"]],
  ];
  it("covers the documented rights", () => {
    expect(denials.map(([operation, resource]) => `${operation} ${resource}`).sort()).toEqual(
      BROKER_RIGHTS.map(({ operation, resource }) => `${operation} ${resource}`).sort(),
    );
  });
  it.each(sampleOf(denials, 2))(
    "names the missing right %s on a %s",
    async (operation, resource, text, more) => {
      if (operation === "CREATE") await deleteAllTopics();
      else await ensureTopics(broker.admin, { database: null });
      const connection = await without(operation, resource);
      const { status, stderr } = await topics(connection, ...more);
      const [address] = connection.bootstrap;
      const warning = more.length > 0 ? /warning: .*\n/ : "";
      expect(stderr.replace(warning, "")).toBe(
        `error: Kafka at ${address} denies rights to the user ${connection.sasl.username}: ${text}\n  hint: ${GRANT}\n`,
      );
      expect(status).toBe(1);
    },
  );

  itLong("names it in the generator's status too", async () => {
    await resetTopics(broker.admin, { database: null, scope: "all" });
    const connection = await without("WRITE", "TOPIC");
    const [address = ""] = connection.bootstrap;
    const generator = new GeneratorProcess(address, environmentOf(connection));
    expect(await generator.exit()).toBe(1);
    expect(generator.output).toContain(
      `Kafka at ${address} denies rights to the user ${connection.sasl.username}: WRITE on the topic ${ALL}`,
    );
  });

  const deleteAllTopics = async () =>
    broker.admin.deleteTopics({ topics: await broker.admin.listTopics() });
});
