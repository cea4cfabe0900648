import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { goldenProgram } from "./golden.ts";
import {
  fileOf,
  namesOf,
  type RecordedResource,
  recordProgram,
  resourceOf,
  testSecrets,
} from "./record.ts";
import { expectRules } from "./walk.ts";

const CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const { kafkaPassword, clickhousePassword, alertWebhook } = testSecrets;
const resources = await recordProgram("cloud", {
  network: { portOffset: 1000 },
  protectData: true,
  kafka: {
    mode: "external",
    bootstrap: "b1.example:9094,b2.example:9094",
    hostBootstrap: "localhost:19094",
    security: { mechanism: "SCRAM-SHA-512", username: "pipeline", ca: CA },
  },
  clickhouse: { mode: "external", url: "https://db.example:8443", user: "loader" },
  generator: { settings: { GEN_SEED: 7, GEN_PROFILE: "daily-wave" } },
  postgres: { airflowKeyGeneration: 2, supersetKeyGeneration: 2 },
  ...{ kafkaPassword, clickhousePassword, alertWebhook },
});
const inputsOf = (name: string, type?: string) => resourceOf(resources, name, type).inputs;

describe("the program with an external Kafka and ClickHouse", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("protects exactly the irreplaceable volumes and the keys, as configured", () => {
    expect(namesOf(resources.filter(({ options }) => options.protect))).toEqual([
      "collector-data",
      "generator-data",
      "postgres-data",
      "airflow-fernet-key-1",
      "airflow-fernet-key-2",
      "superset-secret-key-1",
      "superset-secret-key-2",
    ]);
    const label = { label: "event-pipeline.protected", value: "true" };
    const labelled = resources.filter(({ inputs }) =>
      (inputs.labels as object[] | undefined)?.some((one) => isDeepStrictEqual(one, label)),
    );
    expect(namesOf(labelled)).toEqual(["collector-data", "generator-data", "postgres-data"]);
  });

  test("declares neither of them, nor what watches or fills them, and all else of the defaults", () => {
    const names = new Set(namesOf(resources));
    const absent = namesOf(goldenProgram()).filter((name) => !names.has(name));
    const others = absent.filter((name) => !/^(kafka|clickhouse|alert-log)(-|$)/.test(name));
    expect(others).toEqual([
      "live-history",
      "live-load",
      "dev",
      "grafana-rules-database",
      "grafana-clickhouse-overview",
      "event-pipeline-dev",
    ]);
    const own = [...names].filter((name) => /^(kafka|clickhouse)(-(?!exporter|ui)|$)/.test(name));
    expect(own).toEqual([]);
  });

  test("commands reach both with the configured user, and run again for another address", () => {
    const kafka = {
      KAFKA_BOOTSTRAP_SERVERS: "localhost:19094",
      KAFKA_DATABASE_BOOTSTRAP_SERVERS: "b1.example:9094,b2.example:9094",
      KAFKA_TLS: "true",
      KAFKA_TLS_CA: CA,
      KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
      KAFKA_SASL_USERNAME: "pipeline",
      KAFKA_SASL_PASSWORD: "<secret>",
    };
    const clickhouse = {
      CLICKHOUSE_URL: "https://db.example:8443",
      CLICKHOUSE_USER: "loader",
      CLICKHOUSE_PASSWORD: "<secret>",
    };
    for (const name of ["topics", "schema", "superset-assets", "live-schedule"]) {
      expect(inputsOf(name, "Command").environment, name).toMatchObject({
        ...kafka,
        ...clickhouse,
      });
    }
    expect(inputsOf("superset-assets", "Command").environment).toMatchObject({
      BI_DATABASE_URL: "https://db.example:8443",
      BI_DATABASE_USER: "loader",
    });
    expect(inputsOf("topics", "Command").triggers).toContain(kafka.KAFKA_BOOTSTRAP_SERVERS);
    expect(inputsOf("schema", "Command").triggers).toContain(clickhouse.CLICKHOUSE_URL);
  });

  test("services reach both, with passwords from files", () => {
    const kafka = [
      "KAFKA_BOOTSTRAP_SERVERS=b1.example:9094,b2.example:9094",
      "KAFKA_TLS=true",
      `KAFKA_TLS_CA=${CA}`,
      "KAFKA_SASL_MECHANISM=SCRAM-SHA-512",
      "KAFKA_SASL_USERNAME=pipeline",
      "KAFKA_SASL_PASSWORD_FILE=/run/event-pipeline/kafka-sasl-password",
    ];
    const clickhouse = ["CLICKHOUSE_URL=https://db.example:8443", "CLICKHOUSE_USER=loader"];
    expect(inputsOf("generator").envs).toEqual(
      expect.arrayContaining([...kafka, "GEN_SEED=7", "GEN_PROFILE=daily-wave"]),
    );
    expect(inputsOf("airflow").envs).toEqual(expect.arrayContaining([...kafka, ...clickhouse]));
    for (const name of ["generator", "airflow"]) {
      expect(fileOf(name, "kafka-sasl-password"), name).toBe(kafkaPassword);
    }
  });

  test("a preview shows a changed image also of a container with a password", () => {
    expect(inputsOf("generator").image).toBe("sha256:generator-image");
    expect(inputsOf("airflow").image).toBe("sha256:airflow-image");
  });

  test("the exporter's arguments have the password, so they are a secret file", () => {
    expect(inputsOf("kafka-exporter")).toMatchObject({
      command: ["@/etc/event-pipeline/arguments"],
      uploads: [{ content: "<secret>" }, { file: "/etc/event-pipeline/ca.pem", content: CA }],
    });
    expect(fileOf("kafka-exporter", "arguments").trim().split("\n")).toEqual([
      "--kafka.server=b1.example:9094",
      "--kafka.server=b2.example:9094",
      "--kafka.version=3.6.0",
      "--no-offset.show-all",
      "--tls.enabled",
      "--tls.ca-file=/etc/event-pipeline/ca.pem",
      "--sasl.enabled",
      "--sasl.mechanism=scram-sha512",
      "--sasl.username=pipeline",
      `--sasl.password=${kafkaPassword}`,
    ]);
    expect(inputsOf("kafka-ui").uploads).toEqual([
      expect.objectContaining({ content: "<secret>" }),
    ]);
  });

  test("Prometheus queries the external ClickHouse as the configured user", () => {
    const { scrape_configs: jobs } = parse(fileOf("prometheus", "prometheus.yml"));
    expect(jobs[0]).toMatchObject({
      job_name: "pipeline",
      scheme: "https",
      basic_auth: { username: "loader", password_file: "/etc/prometheus/pipeline-password" },
      static_configs: [{ targets: ["db.example:8443"] }],
    });
    expect(fileOf("prometheus", "pipeline-password")).toBe(clickhousePassword);
  });

  test("a service gets its key, then the one before, so that it can encrypt again", () => {
    const [latest, previous] = [
      "airflow-fernet-key-2-in-clear",
      "airflow-fernet-key-1-in-clear",
    ].map((text) => `${createHash("sha256").update(text).digest("base64url")}=`);
    expect(fileOf("airflow", "fernet-key")).toBe(`${latest},${previous}`);
    expect(fileOf("superset", "/secret-key")).toBe("superset-secret-key-2-in-clear");
    expect(fileOf("superset", "previous-secret-key")).toBe("superset-secret-key-1-in-clear");
  });

  test("the schedule is paused, because the program fills no warehouse of another owner", () => {
    expect(inputsOf("live-schedule", "Command").create).toContain("dag pause etl_live");
  });

  test("the offset moves every published port and every address", () => {
    const ports = (all: readonly RecordedResource[]) =>
      all.flatMap(({ name, inputs }) =>
        ((inputs.ports ?? []) as { external: number }[]).map(({ external }) => [name, external]),
      );
    const declared = new Set(namesOf(resources));
    const moved = ports(goldenProgram())
      .filter(([name]) => declared.has(String(name)))
      .map(([name, port]) => [name, Number(port) + 1000]);
    expect(ports(resources)).toEqual(moved);
    expect(inputsOf("grafana-provider", "grafana").url).toBe("http://localhost:4000");
  });
});
