import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  kafkaCollection,
  layersJob,
  serverSettings,
} from "../../../components/clickhouse/settings.ts";
import { kafkaSettings } from "../../../components/kafka/settings.ts";
import { kafkaUiSettings } from "../../../components/kafka-ui/index.ts";
import { limits } from "../../../components/shared/docker-traps.ts";
import { clusterId, hostOf, stackNames } from "../../../components/shared/names.ts";
import { UserError } from "../../../contract/errors.ts";

const CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const plain = { bootstrap: ["kafka:29092"], tls: null, sasl: null };
const sasl = { mechanism: "PLAIN", username: "pipeline", password: 'a"b\\c' } as const;
const secure = { bootstrap: ["b1.example:9094", "b2.example:9094"], tls: { ca: CA }, sasl };

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

describe("names", () => {
  test.each(["", "Dev", "1st", "a_b", "x".repeat(25)])("refuse the stack name %j", (name) => {
    expect(() => stackNames(name)).toThrow(UserError);
  });

  test("of clusters belong to their volumes and are valid for Kafka", () => {
    expect(clusterId("a")).toBe(clusterId("a"));
    expect(clusterId("a")).not.toBe(clusterId("b"));
    expect(Buffer.from(clusterId("a"), "base64url")).toHaveLength(16);
  });

  test.each([
    [{ bind: "127.0.0.1" }, "localhost"],
    [{ bind: "127.0.0.2" }, "127.0.0.2"],
    [{ bind: "0.0.0.0", host: "box.example" }, "box.example"],
  ])("of the host with %j", (network, host) => expect(hostOf(network)).toBe(host));
});

test("every allowed number of cores has the one decimal that the engine keeps", () => {
  for (let tenths = 1; tenths <= 99; tenths++) {
    expect(limits({ memoryMiB: 1, cpus: tenths / 10 }).cpus).toMatch(/^\d\.\d$/);
  }
});

describe("Kafka", () => {
  const nodes = [1, 2, 3].map((id) => ({ id, name: `kafka-${id}`, address: `box:${9091 + id}` }));
  const settings = nodes.map((node) =>
    kafkaSettings(node, nodes, { volume: "v", memoryMiB: 1025 }),
  );

  test("nodes differ in their ids and addresses only, and form one cluster", () => {
    const shared = settings.map(
      ({ KAFKA_NODE_ID, KAFKA_ADVERTISED_LISTENERS, ...others }) => others,
    );
    expect(settings.map(({ KAFKA_NODE_ID }) => KAFKA_NODE_ID)).toEqual(["1", "2", "3"]);
    expect(settings[1]?.KAFKA_ADVERTISED_LISTENERS).toBe(
      "INTERNAL://kafka-2:29092,EXTERNAL://box:9093",
    );
    expect(shared[1]).toEqual(shared[0]);
    expect(shared[2]).toEqual(shared[0]);
  });

  test("of three keeps three replicas, of which two must be in sync", () => {
    expect(settings[0]).toMatchObject({
      KAFKA_CONTROLLER_QUORUM_VOTERS: "1@kafka-1:9093,2@kafka-2:9093,3@kafka-3:9093",
      KAFKA_DEFAULT_REPLICATION_FACTOR: "3",
      KAFKA_MIN_INSYNC_REPLICAS: "2",
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "3",
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "3",
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: "2",
    });
  });
});

describe("ClickHouse", () => {
  test("reads Kafka with its client library's options", () => {
    const collection = (text: string) => parse(text).named_collections.kafka;
    const kafka = {
      ...{ session_timeout_ms: "10000", heartbeat_interval_ms: "2000" },
      topic_metadata_refresh_interval_ms: "5000",
    };
    expect(collection(kafkaCollection(plain))).toEqual({ kafka_broker_list: "kafka:29092", kafka });
    expect(collection(kafkaCollection(secure))).toEqual({
      kafka_broker_list: "b1.example:9094,b2.example:9094",
      kafka_security_protocol: "sasl_ssl",
      kafka_sasl_mechanism: "PLAIN",
      kafka_sasl_username: "pipeline",
      kafka_sasl_password: sasl.password,
      kafka: { ...kafka, ssl_ca_pem: CA },
    });
  });

  test.each([
    ["http://clickhouse:8123", "http", "clickhouse:8123"],
    ["https://ch.example:8443/", "https", "ch.example:8443"],
  ])("%s is asked for the metrics of the layers, within each half minute", (url, scheme, host) => {
    const { target, settings } = layersJob(url);
    expect(target).toBe(host);
    expect(settings).toEqual({
      scheme,
      metrics_path: "/",
      params: { query: ["SELECT * FROM dm_internal.v_pipeline_metrics FORMAT Prometheus"] },
      scrape_interval: "30s",
      scrape_timeout: "20s",
    });
  });

  test("limits or removes every system log that the server enables by default", () => {
    const server = parse(serverSettings());
    const unbounded = DEFAULT_LOGS.filter((name) => {
      const { ttl, "@remove": removed } = server[name] ?? {};
      return removed !== "1" && !/INTERVAL \d+ DAY DELETE$/.test(ttl);
    });
    expect(unbounded).toEqual([]);
  });
});

test("Kafka UI logs in with a quoted password and trusts the authority", () => {
  expect(parse(kafkaUiSettings("dev", secure)).kafka.clusters).toEqual([
    {
      name: "dev",
      bootstrapServers: "b1.example:9094,b2.example:9094",
      properties: {
        "security.protocol": "SASL_SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": CA,
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config":
          'org.apache.kafka.common.security.plain.PlainLoginModule required username="pipeline" password="a\\"b\\\\c";',
      },
    },
  ]);
});
