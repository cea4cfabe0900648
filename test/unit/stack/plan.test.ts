import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { brokerClientEnvironment } from "../../../components/broker/endpoint.ts";
import { containersOf, type PlanContext, planStack } from "../../../components/services.ts";
import {
  cpuText,
  goDuration,
  HEALTHY_WITHIN_SECONDS,
} from "../../../components/shared/docker-workarounds.ts";
import { clusterId, stackNames } from "../../../components/shared/names.ts";
import { UserError } from "../../../contract/errors.ts";
import { isSecret, planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

const external = {
  mode: "external",
  bootstrap: "b1.example:9094",
  hostBootstrap: "localhost:19094",
  security: { mechanism: "PLAIN", username: "pipeline" },
} as const;

/**
 * Every log that the default configuration of ClickHouse 25 and 26 (programs/server/config.xml)
 * enables.
 */
const DEFAULT_LOGS = [
  ...["query_log", "trace_log", "query_thread_log", "query_views_log", "part_log", "text_log"],
  ...["background_schedule_pool_log", "metric_log", "latency_log", "error_log"],
  ...["instrumentation_trace_log", "query_metric_log", "asynchronous_metric_log"],
  ...["iceberg_metadata_log", "delta_lake_metadata_log", "opentelemetry_span_log", "crash_log"],
  ...["processors_profile_log", "query_plan_log", "asynchronous_insert_log", "backup_log"],
  ...["s3queue_log", "blob_storage_log", "aggregated_zookeeper_log", "zookeeper_connection_log"],
];

const planBroker = (context = planContext()) => planStack(context).broker;
const planBrokerUi = (context = planContext()) => planStack(context).brokerUi;
const planDatabase = (context = planContext()) => planStack(context).database;

describe("names", () => {
  test("two stacks share none", () => {
    const all = (stack: string) => {
      const plan = planStack(planContext({}, {}, stack));
      return containersOf(plan).flatMap(({ name, mounts }) => [
        name,
        ...mounts.map((m) => m.volume),
      ]);
    };
    expect(all("dev").filter((name) => all("second").includes(name))).toEqual([]);
  });

  test.each(["", "Dev", "1st", "a_b", "x".repeat(25)])("refuses the stack name %j", (name) => {
    expect(() => stackNames(name)).toThrow(UserError);
  });

  test("a cluster id belongs to its volume and is valid for Kafka", () => {
    expect(clusterId("a")).toBe(clusterId("a"));
    expect(clusterId("a")).not.toBe(clusterId("b"));
    expect(Buffer.from(clusterId("a"), "base64url")).toHaveLength(16);
  });
});

describe("text forms that the container engine keeps unchanged", () => {
  test.each([
    [0, "0s"],
    [2, "2s"],
    [90, "1m30s"],
    [300, "5m0s"],
    [3600, "1h0m0s"],
    [3725, "1h2m5s"],
  ])("%i seconds are %s", (seconds, text) => expect(goDuration(seconds)).toBe(text));

  test("every allowed number of cores has one decimal", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), (tenths) => {
        expect(cpuText(tenths / 10)).toMatch(/^\d\.\d$/);
      }),
    );
  });
});

describe("the broker", () => {
  test.each([
    [{ bind: "127.0.0.1" }, "localhost:9092"],
    [{ portOffset: 100 }, "localhost:9192"],
    [{ bind: "127.0.0.2" }, "127.0.0.2:9092"],
    [{ bind: "192.168.1.5" }, "192.168.1.5:9092"],
    [{ bind: "0.0.0.0", host: "box.example" }, "box.example:9092"],
  ])("advertises the address of %j", (network, address) => {
    const { endpoint, service } = planBroker(planContext({ network }));
    expect(endpoint.host).toBe(address);
    const advertised = service?.container.environment.KAFKA_ADVERTISED_LISTENERS;
    expect(advertised).toContain(`EXTERNAL://${address}`);
  });

  test.each([
    [
      { broker: { mode: "external", bootstrap: "b.example:9092,localhost:9092" } },
      "broker.bootstrap=b.example:9092,localhost:9092: a container cannot reach this machine",
      "broker.hostBootstrap",
    ],
    [
      {
        broker: { mode: "external", bootstrap: "b.example:9092" },
        database: { mode: "external", url: "http://127.0.0.1:8123" },
      },
      "database.url=http://127.0.0.1:8123: a container cannot reach this machine",
      "database.hostUrl",
    ],
  ])(
    "refuses an external broker at this machine's own loopback: %j",
    (config, message, setting) => {
      expect(() => planStack(planContext(config))).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(message),
          hint: expect.stringContaining(setting),
        }),
      );
    },
  );

  test("allows loopback addresses if no container uses them", () => {
    const off = { enabled: false };
    const config = {
      broker: { mode: "external", bootstrap: "localhost:9092" },
      database: { mode: "external", url: "http://127.0.0.1:8123" },
      generator: { deploy: false },
      brokerUi: off,
      bi: off,
      scheduler: off,
      metrics: off,
      brokerExporter: off,
    };
    expect(containersOf(planStack(planContext(config)))).toEqual([]);
  });

  test("a broker in a container is refused for a user's own database", () => {
    const database = { mode: "external", url: "https://db.example:8443" };
    expect(() => planStack(planContext({ database }))).toThrow(
      /broker\.mode=container: .* cannot reach/,
    );
  });
});

describe("an external broker with certificates of its own", () => {
  const ca = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const context = planContext({ broker: { ...external, security: { ...external.security, ca } } });

  test("is trusted by the database, the commands and the broker UI", () => {
    const files = planDatabase(context).service?.configs.flatMap((c) => c.files);
    const collection = files?.find(({ path }) => path === "30-broker.yaml")?.content;
    expect(parse(textOf(collection)).named_collections.kafka.kafka).toMatchObject({
      ssl_ca_pem: ca,
    });
    expect(brokerClientEnvironment(planBroker(context).endpoint, "host")).toMatchObject({
      KAFKA_TLS: "true",
      KAFKA_TLS_CA: ca,
    });
    const file = planBrokerUi(context)?.service.configs[0]?.files[0];
    expect(parse(textOf(file?.content)).kafka.clusters[0].properties).toMatchObject({
      "ssl.truststore.type": "PEM",
      "ssl.truststore.certificates": ca,
    });
  });
});

describe("the broker UI", () => {
  test("logs in with a quoted password and restarts when it changes", () => {
    const context = planContext({ broker: external });
    const service = planBrokerUi(context)?.service;
    const file = service?.configs[0]?.files[0];
    expect(file && isSecret(file)).toBe(true);
    const odd = { kafkaPassword: 'a"b\\c' };
    const { kafka } = parse(textOf(file?.content, odd));
    expect(kafka.clusters[0].properties).toEqual({
      "security.protocol": "SASL_SSL",
      "sasl.mechanism": "PLAIN",
      "sasl.jaas.config":
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="pipeline" password="a\\"b\\\\c";',
    });
    const text = service?.container.replaceTriggers.settings;
    expect(textOf(text, odd)).not.toBe(textOf(text));
  });
});

describe("the database", () => {
  const filesOf = (context = planContext()) =>
    (planDatabase(context).service?.configs ?? []).flatMap(({ files }) => files);
  const settings = (path: string, context = planContext()) =>
    parse(textOf(filesOf(context).find((file) => file.path === path)?.content));

  test("contains hashes of its passwords, never the passwords", () => {
    const text = filesOf()
      .map(({ content }) => textOf(content))
      .join();
    for (const secret of Object.values(testSecrets)) expect(text).not.toContain(secret);
    expect(settings("users.yaml").users.default.password_sha256_hex).toMatch(/^[0-9a-f]{64}$/);
  });

  test("connects to the broker by name, with its client library's options", () => {
    const context = planContext({ broker: external });
    expect(settings("30-broker.yaml", context).named_collections.kafka).toEqual({
      kafka_broker_list: "b1.example:9094",
      kafka_security_protocol: "sasl_ssl",
      kafka_sasl_mechanism: "PLAIN",
      kafka_sasl_username: "pipeline",
      kafka_sasl_password: testSecrets.kafkaPassword,
      kafka: { session_timeout_ms: "10000", heartbeat_interval_ms: "2000" },
    });
    expect(
      filesOf(context)
        .filter(isSecret)
        .map(({ path }) => path),
    ).toContain("30-broker.yaml");
    expect(settings("30-broker.yaml").named_collections.kafka).toEqual({
      kafka_broker_list: "kafka:29092",
      kafka: { session_timeout_ms: "10000", heartbeat_interval_ms: "2000" },
    });
  });

  test("limits or removes every system log that the server enables by default", () => {
    const server = settings("20-start.yaml");
    const unbounded = DEFAULT_LOGS.filter((name) => {
      const { ttl, "@remove": removed } = server[name] ?? {};
      return removed !== "1" && !/INTERVAL \d+ DAY DELETE$/.test(ttl);
    });
    expect(unbounded).toEqual([]);
    expect(server.query_log.ttl).toContain("INTERVAL 3 DAY");
  });

  const container = (context = planContext()) => planDatabase(context).service?.container;

  test("is replaced only for files that it reads at its start", () => {
    const texts = container()?.replaceTriggers ?? {};
    const file = filesOf().find(({ path }) => path === "20-start.yaml");
    expect(texts.settings).toBe(file?.content);
    // Exactly the settings that a running server does not reload.
    const read = Object.keys(settings("20-start.yaml"));
    expect(read).toEqual(expect.arrayContaining(["timezone", "prometheus", ...DEFAULT_LOGS]));
    expect(Object.keys(settings("10-server.yaml"))).toEqual([
      "listen_host",
      "max_server_memory_usage_to_ram_ratio",
      "logger",
    ]);
    expect(settings("10-server.yaml").logger).toEqual({ level: "information" });
  });

  test("is not replaced for another broker", () => {
    const text = (one = container()) => JSON.stringify(one);
    expect(text(container(planContext({ broker: external })))).toBe(text());
  });

  test("another broker, or another password of it, re-opens its readers", () => {
    const text = (context: PlanContext, secrets = {}) =>
      textOf(planDatabase(context).brokerText, secrets);
    const context = planContext({ broker: external });
    const texts = [text(planContext()), text(context), text(context, { kafkaPassword: "another" })];
    expect(new Set(texts).size).toBe(3);
    expect(text(planContext({ generator: { port: 9999 } }))).toBe(texts[0]);
  });
});

describe("the whole stack", () => {
  test("refuses a port that two services would publish, naming both", () => {
    expect(() => planStack(planContext({ generator: { port: 9092 } }))).toThrow(
      "broker.port and generator.port both publish port 9092/tcp",
    );
  });

  test("refuses an offset that moves a port out of range", () => {
    const context = planContext({ database: { httpPort: 60_000 }, network: { portOffset: 6000 } });
    expect(() => planStack(context)).toThrow("database.httpPort plus network.portOffset is 66000");
  });

  test("waits longer than any of its services may take to become healthy", () => {
    const patience = containersOf(planStack(planContext())).map(
      ({ health }) => health.unhealthyAfterSeconds + health.everySeconds + health.timeoutSeconds,
    );
    expect(Math.max(...patience) + 30).toBeLessThan(HEALTHY_WITHIN_SECONDS);
  });
});
