import { describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import { recordProgram, testSecrets } from "./record.ts";
import { expectRules } from "./walk.ts";

const resources = await recordProgram("cloud", {
  network: { portOffset: 1000 },
  protectData: true,
  broker: {
    mode: "external",
    bootstrap: "b1.example:9094,b2.example:9094",
    security: { mechanism: "SCRAM-SHA-512", username: "pipeline" },
  },
  brokerPassword: testSecrets.brokerPassword,
  databasePassword: testSecrets.databasePassword,
  alertWebhook: testSecrets.alertWebhook,
  database: { mode: "external", url: "https://db.example:8443", user: "loader" },
  generator: { settings: { GEN_SEED: 7, GEN_PROFILE: "daily-wave" } },
});

describe("the program with an external broker and database", () => {
  test("is what the golden file says", () => expectGolden("external", resources));

  test("keeps the rules of every resource", () => expectRules(resources));

  test("protects irreplaceable volumes and their keys, as its configuration says, and nothing else", () => {
    const isProtected = resources.filter(({ options }) => options.protect);
    expect(isProtected.map(({ name }) => name)).toEqual([
      "generator-data",
      "postgres-data",
      "postgres-bi-secret-key-1",
      "postgres-scheduler-fernet-key-1",
    ]);
  });

  test("runs neither of them", () => {
    const services = resources
      .filter(
        ({ type, name }) =>
          type === "docker:index/container:Container" && name.endsWith("-service"),
      )
      .map((one) => one.name);
    expect(services).toEqual([
      "bi-service",
      "broker-exporter-service",
      "broker-ui-service",
      "dashboards-service",
      "generator-service",
      "metrics-alert-log-service",
      "metrics-service",
      "postgres-service",
      "scheduler-service",
      "scheduler-web-service",
      "statsd-exporter-service",
    ]);
  });
});
