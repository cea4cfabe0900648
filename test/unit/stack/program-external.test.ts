import { describe, expect, test } from "vitest";
import { planStack } from "../../../components/services.ts";
import { planContext } from "./context.ts";
import { expectGolden } from "./golden.ts";
import { recordProgram, testSecrets } from "./record.ts";
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
const { brokerPassword, databasePassword, alertWebhook } = testSecrets;
const secrets = { brokerPassword, databasePassword, alertWebhook };
const resources = await recordProgram("cloud", { ...config, ...secrets });

describe("the program with an external broker and database", () => {
  test("equals the golden file", () => expectGolden("external", resources));

  test("follows the rules for every resource", () => expectRules(resources));

  test("deploys what the commands plan without Pulumi", () => {
    const configured = ["brokerPassword", "databasePassword", "alertWebhook"] as const;
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

  test("runs neither of them", () => {
    const services = resources
      .filter(
        ({ type, name }) =>
          type === "docker:index/container:Container" && name.endsWith("-service"),
      )
      .map((one) => one.name);
    expect(services).toEqual([
      "alert-log-service",
      "bi-service",
      "broker-exporter-service",
      "broker-ui-service",
      "dashboards-service",
      "generator-service",
      "metrics-service",
      "postgres-service",
      "scheduler-service",
      "scheduler-web-service",
      "statsd-exporter-service",
    ]);
  });
});
