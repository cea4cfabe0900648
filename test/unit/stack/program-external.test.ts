import { describe, expect, test } from "vitest";
import { planStack } from "../../../components/services.ts";
import { planContext } from "./context.ts";
import { goldenProgram } from "./golden.ts";
import { type RecordedResource, recordProgram, testSecrets } from "./record.ts";
import { expectPlanned, expectRules } from "./walk.ts";

const config = {
  network: { portOffset: 1000 },
  protectData: true,
  broker: {
    mode: "external",
    bootstrap: "b1.example:9094,b2.example:9094",
    security: { mechanism: "SCRAM-SHA-512", username: "pipeline" },
  },
  database: { mode: "external", url: "https://db.example:8443", user: "loader" },
  generator: { settings: { GEN_SEED: 7, GEN_PROFILE: "daily-wave" } },
};
const { kafkaPassword, clickhousePassword, alertWebhook } = testSecrets;
const secrets = { kafkaPassword, clickhousePassword, alertWebhook };
const resources = await recordProgram("cloud", { ...config, ...secrets });

function inputsOf(name: string, type: string): RecordedResource["inputs"] {
  const found = resources.find((one) => one.name === name && one.type.endsWith(`:${type}`));
  if (!found) throw new Error(`no ${type} named ${name}`);
  return found.inputs;
}

describe("the program with an external broker and database", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("deploys what the commands plan without Pulumi", () => {
    const configured = ["kafkaPassword", "clickhousePassword", "alertWebhook"] as const;
    expectPlanned(resources, planStack(planContext(config, {}, "cloud", configured)));
  });

  test("protects exactly the irreplaceable volumes and their keys, as configured", () => {
    const isProtected = resources.filter(({ options }) => options.protect);
    expect(isProtected.map(({ name }) => name)).toEqual([
      "generator-data",
      "postgres-data",
      "postgres-bi-secret-key-1",
      "postgres-scheduler-fernet-key-1",
    ]);
  });

  test("declares neither of them, nor what watches or fills them, and all else of the defaults", () => {
    const names = new Set(resources.map(({ name }) => name));
    const absent = goldenProgram().filter(({ name }) => !names.has(name));
    const others = absent.filter(({ name }) => !/^(broker|database)-/.test(name));
    expect(others.map(({ name }) => name)).toEqual([
      "live-history",
      "live-load",
      "dashboards-rules-database",
      "dashboards-clickhouse-overview",
    ]);
    expect([...names].filter((name) => /^(broker|database)-(?!exporter|ui)/.test(name))).toEqual(
      [],
    );
    const defaults = new Set(goldenProgram().map(({ name }) => name));
    expect(resources.filter(({ name }) => !defaults.has(name))).toEqual([]);
  });

  test("commands reach both with the configured user, and run again for another address", () => {
    const broker = {
      KAFKA_BOOTSTRAP_SERVERS: "b1.example:9094,b2.example:9094",
      KAFKA_DATABASE_BOOTSTRAP_SERVERS: "b1.example:9094,b2.example:9094",
      KAFKA_TLS: "true",
      KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
      KAFKA_SASL_USERNAME: "pipeline",
      KAFKA_SASL_PASSWORD: "<secret>",
    };
    const database = {
      CLICKHOUSE_URL: "https://db.example:8443",
      CLICKHOUSE_USER: "loader",
      CLICKHOUSE_PASSWORD: "<secret>",
    };
    for (const name of ["topics", "schema", "bi-assets", "live-schedule"]) {
      expect(inputsOf(name, "Command").environment, name).toMatchObject({ ...broker, ...database });
    }
    expect(inputsOf("bi-assets", "Command").environment).toMatchObject({
      BI_DATABASE_URL: "https://db.example:8443",
      BI_DATABASE_USER: "loader",
    });
    expect(inputsOf("topics", "Command").triggers).toContain(broker.KAFKA_BOOTSTRAP_SERVERS);
    expect(inputsOf("schema", "Command").triggers).toContain(database.CLICKHOUSE_URL);
  });

  test("services reach both, with passwords from files", () => {
    const broker = [
      "KAFKA_BOOTSTRAP_SERVERS=b1.example:9094,b2.example:9094",
      "KAFKA_TLS=true",
      "KAFKA_SASL_MECHANISM=SCRAM-SHA-512",
      "KAFKA_SASL_USERNAME=pipeline",
      "KAFKA_SASL_PASSWORD_FILE=/run/event-pipeline/kafka-sasl-password",
    ];
    const database = ["CLICKHOUSE_URL=https://db.example:8443", "CLICKHOUSE_USER=loader"];
    expect(inputsOf("generator-service", "Container").envs).toEqual(
      expect.arrayContaining([...broker, "GEN_SEED=7", "GEN_PROFILE=daily-wave"]),
    );
    for (const name of ["scheduler-service", "scheduler-web-service", "scheduler-init-container"]) {
      const { envs } = inputsOf(name, "Container");
      expect(envs, name).toEqual(expect.arrayContaining([...broker, ...database]));
    }
    for (const name of ["generator-secrets-loader", "scheduler-secrets-loader"]) {
      expect(inputsOf(name, "Container").uploads, name).toContainEqual({
        file: "/files/kafka-sasl-password",
        content: "<secret>",
      });
    }
    for (const name of ["broker-exporter-config-loader", "broker-ui-config-loader"]) {
      expect(inputsOf(name, "Container").uploads, name).toEqual([
        expect.objectContaining({ content: "<secret>" }),
      ]);
    }
  });

  test("the schedule is paused, because the program fills no warehouse of another owner", () => {
    expect(inputsOf("live-schedule", "Command").create).toContain("dag pause etl_live");
  });

  test("alerts go to the configured webhook", () => {
    expect(inputsOf("dashboards-contact-point", "ContactPoint")).toEqual({
      name: "Webhook",
      webhooks: [{ url: "<secret>" }],
    });
    expect(inputsOf("dashboards-policy", "NotificationPolicy").contactPoint).toBe("Webhook");
  });

  test("the offset moves every published port and every address", () => {
    const ports = (all: readonly RecordedResource[]) =>
      all.flatMap(({ name, inputs }) =>
        ((inputs.ports ?? []) as { external: number }[]).map(({ external }) => [name, external]),
      );
    const declared = new Set(resources.map(({ name }) => name));
    const moved = ports(goldenProgram())
      .filter(([name]) => declared.has(String(name)))
      .map(([name, port]) => [name, Number(port) + 1000]);
    expect(ports(resources)).toEqual(moved);
    expect(inputsOf("dashboards-provider", "grafana").url).toBe("http://localhost:4000");
  });
});
