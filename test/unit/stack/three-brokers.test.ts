import { describe, expect, test } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import { memoryOf, planStack } from "../../../components/services.ts";
import { refuseLoss } from "../../../stack/data-loss-guard.ts";
import { previewFrom } from "../../../stack/preview.ts";
import { planContext } from "./context.ts";
import { recordProgram } from "./record.ts";

const config = { broker: { nodes: 3 } } as const;
const plan = planStack(planContext(config));
const nodes = [plan.broker.service, ...plan.broker.companions].flatMap((node) => node ?? []);
const environments = nodes.map(({ container }) => container.environment);
const INSIDE = "kafka:29092,kafka-2:29092,kafka-3:29092";

const CONTAINER = "docker:index/container:Container";
const VOLUME = "docker:index/volume:Volume";

describe("broker.nodes: 3", () => {
  test("runs three brokers and controllers with a storage each", () => {
    expect(nodes.map(({ container }) => container.name)).toEqual([
      "event-pipeline-dev-kafka",
      "event-pipeline-dev-kafka-2",
      "event-pipeline-dev-kafka-3",
    ]);
    expect(nodes.flatMap(({ container }) => container.ports.map(({ host }) => host))).toEqual([
      9092, 9093, 9094,
    ]);
    expect(nodes.flatMap(({ volumes }) => volumes.map(({ volume }) => volume))).toEqual([
      "event-pipeline-dev-kafka-data-1",
      "event-pipeline-dev-kafka-data-2",
      "event-pipeline-dev-kafka-data-3",
    ]);
    expect(environments.map(({ KAFKA_NODE_ID }) => KAFKA_NODE_ID)).toEqual(["1", "2", "3"]);
    expect(environments.map((each) => each.KAFKA_ADVERTISED_LISTENERS)).toEqual([
      "INTERNAL://kafka:29092,EXTERNAL://localhost:9092",
      "INTERNAL://kafka-2:29092,EXTERNAL://localhost:9093",
      "INTERNAL://kafka-3:29092,EXTERNAL://localhost:9094",
    ]);
  });

  test("is one cluster, whose topics have three replicas, of which two must be in sync", () => {
    const shared = environments.map(
      ({ KAFKA_NODE_ID, KAFKA_ADVERTISED_LISTENERS, ...others }) => others,
    );
    expect(shared[1]).toEqual(shared[0]);
    expect(shared[2]).toEqual(shared[0]);
    expect(shared[0]).toMatchObject({
      KAFKA_CONTROLLER_QUORUM_VOTERS: "1@kafka:9093,2@kafka-2:9093,3@kafka-3:9093",
      KAFKA_DEFAULT_REPLICATION_FACTOR: "3",
      KAFKA_MIN_INSYNC_REPLICAS: "2",
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "3",
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "3",
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: "2",
    });
  });

  test("gives every client all addresses", () => {
    const all = [
      plan.generator?.service.container.environment.KAFKA_BOOTSTRAP_SERVERS,
      plan.scheduler?.service.container.environment.KAFKA_BOOTSTRAP_SERVERS,
      plan.database.client.environment.KAFKA_DATABASE_BOOTSTRAP_SERVERS,
    ];
    expect(all).toEqual([INSIDE, INSIDE, INSIDE]);
    expect(plan.broker.client.environment).toEqual({
      KAFKA_BOOTSTRAP_SERVERS: "localhost:9092,localhost:9093,localhost:9094",
    });
    const exporter = plan.brokerExporter?.service.configs[0]?.files[0]?.content;
    for (const server of INSIDE.split(",")) {
      expect(exporter).toContain(`--kafka.server=${server}\n`);
    }
  });

  test("needs the memory of two more brokers", () => {
    const one = planStack(planContext());
    expect(memoryOf(plan) - memoryOf(one)).toBe(2 * 1024);
  });

  test("refuses another number, and a port that a service has", () => {
    expect(() => parseStackConfig({ broker: { nodes: 2 } })).toThrow(
      "broker.nodes=2: must be 1 or 3",
    );
    const taken = { broker: { nodes: 3, port: 9089 } };
    expect(() => planStack(planContext(taken))).toThrow(/publish port 909\d/);
  });
});

describe("the program with three brokers", async () => {
  const resources = await recordProgram("dev", config);
  const volumes = resources.filter(({ type }) => type === VOLUME).map(({ name }) => name);

  test("declares none of the storage of a single broker, so a change of the number is refused", () => {
    expect(volumes).not.toContain("broker-data");
    const expected = ["broker-1-data", "broker-2-data", "broker-3-data"];
    expect(volumes).toEqual(expect.arrayContaining(expected));
    const removed = (name: string) => ({
      op: "delete",
      urn: `urn:pulumi:dev::event-pipeline::eventpipeline:broker:Broker$${VOLUME}::${name}`,
      oldState: { inputs: { name: `event-pipeline-dev-${name}` } },
    });
    for (const name of ["broker-data", ...expected]) {
      expect(() => refuseLoss(previewFrom({ steps: [removed(name)] }), "dev")).toThrow(
        /kept with broker\.mode=container and broker\.nodes=[13]\. Nothing was changed/,
      );
    }
  });

  test("starts the brokers side by side: none waits for another", () => {
    const containers = resources.filter(
      ({ name, type }) => /^broker(-\d)?-service$/.test(name) && type === CONTAINER,
    );
    expect(containers).toHaveLength(3);
    for (const { options } of containers) {
      expect(JSON.stringify(options.dependsOn ?? [])).not.toMatch(/"broker(-\d)?-service"/);
    }
  });
});
