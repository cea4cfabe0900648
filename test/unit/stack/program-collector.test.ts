import { describe, expect, test } from "vitest";
import { fileOf, recordProgram, resourceOf } from "./record.ts";
import { expectRules } from "./walk.ts";

const resources = await recordProgram("dev", {
  generator: false,
  collector: { origins: ["https://shop.example"], proxy: "10.0.0.1" },
});

describe("the program with a collector and no generator", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("the collector keeps its journal in a volume, and waits for topics and tables", () => {
    const { inputs, options } = resourceOf(resources, "collector");
    expect((inputs.command as string[]).join(" ")).toBe(
      "node cli/main.ts collect --bind 0.0.0.0 --port 9135 --metrics-port 9136 --journal /data --journal-mb 256 --address shortened --rate 100 --origin https://shop.example --proxy 10.0.0.1 --published-locally",
    );
    expect(inputs.envs).toEqual(
      expect.arrayContaining([
        "KAFKA_BOOTSTRAP_SERVERS=kafka:29092",
        "CLICKHOUSE_URL=http://clickhouse:8123",
      ]),
    );
    expect(inputs.ports).toMatchObject([{ internal: 9135, external: 9135, ip: "127.0.0.1" }]);
    expect(inputs.mounts).toMatchObject([{ target: "/data", type: "volume" }]);
    expect(options.dependsOn).toContain("schema");
  });

  test("loads are scheduled, and no history is awaited", () => {
    const { inputs } = resourceOf(resources, "live-schedule", "Command");
    expect(inputs.create).toContain("dag unpause etl_live");
    expect(resources.map(({ name }) => name)).not.toContain("live-history");
  });

  test("Prometheus scrapes it, with its alerts, and Grafana shows it", () => {
    expect(fileOf("prometheus", "prometheus.yml")).toContain("collector:9136");
    expect(fileOf("prometheus", "rules.yml")).toContain("CollectorHitsWaiting");
    expect(JSON.stringify(resources)).toContain("collector-overview");
  });
});
