import { describe, expect, test } from "vitest";
import { fileOf, recordProgram, resourceOf, testSecrets } from "./record.ts";
import { expectRules } from "./walk.ts";

const { clickhousePassword } = testSecrets;
const config = {
  clickhouse: { mode: "external", url: "https://db.example:8443", ingest: "service" },
};
const resources = await recordProgram("dev", { ...config, clickhousePassword });

describe("the program with the service ingest, Kafka in a container and an external ClickHouse", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("the service stores the topics in the external server", () => {
    expect(resourceOf(resources, "ingest").inputs.envs).toEqual([
      "KAFKA_BOOTSTRAP_SERVERS=kafka:29092",
      "CLICKHOUSE_URL=https://db.example:8443",
      "CLICKHOUSE_PASSWORD_FILE=/run/event-pipeline/clickhouse-password",
      "CLICKHOUSE_USER=default",
      "DDL_TIER=service",
    ]);
    expect(fileOf("ingest", "clickhouse-password")).toBe(clickhousePassword);
    expect(resourceOf(resources, "ingest").options.dependsOn).toContain("schema");
  });

  test("commands and Airflow create its tables, not those of the Kafka engine", () => {
    for (const name of ["topics", "schema"]) {
      expect(resourceOf(resources, name, "Command").inputs.environment, name).toMatchObject({
        DDL_TIER: "service",
      });
    }
    expect(resourceOf(resources, "airflow").inputs.envs).toContain("DDL_TIER=service");
  });

  test("Prometheus scrapes it, and not the external server's own metrics", () => {
    const settings = fileOf("prometheus", "prometheus.yml");
    const jobs = [...settings.matchAll(/job_name: (\w+)/g)].map(([, job]) => job);
    expect(jobs).toContain("ingest");
    expect(jobs).not.toContain("database");
  });
});
