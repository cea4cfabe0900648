import { describe, expect, test } from "vitest";
import { fileOf, namesOf, ofType, recordProgram, resourceOf } from "./record.ts";
import { expectRules } from "./walk.ts";

const resources = await recordProgram("dev", { kafka: { nodes: 3 } });
const brokers = ["kafka", "kafka-2", "kafka-3"].map((name) => resourceOf(resources, name).inputs);
const INSIDE = "kafka:29092,kafka-2:29092,kafka-3:29092";

describe("the program with three brokers", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("gives each a port and a volume, which a single broker does not use", () => {
    const ports = brokers.flatMap((one) => one.ports as { external: number }[]);
    expect(ports.map(({ external }) => external)).toEqual([9092, 9093, 9094]);
    expect(brokers.flatMap((one) => one.mounts as object[])).toMatchObject(
      ["kafka", "kafka-2", "kafka-3"].map((name) => ({
        type: "volume",
        source: `event-pipeline-dev-${name}-replicated-data`,
        target: "/var/lib/kafka/data",
      })),
    );
    expect(namesOf(ofType(resources, "Volume"))).not.toContain("kafka-data");
  });

  test("gives every client all addresses", () => {
    const inside = `KAFKA_BOOTSTRAP_SERVERS=${INSIDE}`;
    for (const name of ["generator", "airflow"]) {
      expect(resourceOf(resources, name).inputs.envs, name).toContain(inside);
    }
    expect(resourceOf(resources, "topics", "Command").inputs.environment).toMatchObject({
      KAFKA_BOOTSTRAP_SERVERS: "localhost:9092,localhost:9093,localhost:9094",
      KAFKA_DATABASE_BOOTSTRAP_SERVERS: INSIDE,
    });
    for (const server of INSIDE.split(",")) {
      expect(fileOf("kafka-exporter", "arguments")).toContain(`--kafka.server=${server}\n`);
    }
  });

  test("starts the brokers side by side, and the topics after all, again for each new one", () => {
    const { options, inputs } = resourceOf(resources, "topics", "Command");
    expect(options.dependsOn).toEqual(expect.arrayContaining(["kafka", "kafka-2", "kafka-3"]));
    expect(inputs.triggers).toContain("kafka-id,kafka-2-id,kafka-3-id");
    for (const name of ["kafka", "kafka-2", "kafka-3"]) {
      const { dependsOn } = resourceOf(resources, name).options;
      const others = (dependsOn as string[]).filter((one) => /^kafka(-\d)?$/.test(one));
      expect(others, name).toEqual([]);
    }
  });
});
