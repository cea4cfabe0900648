import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STREAMS, streams } from "../../contract/streams.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import { collect } from "../../images/offline/kafka-exporter/collect.ts";
import { openBroker } from "../../kafka/client.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { loadIntoKafka } from "../../warehouse/loader/kafka.ts";
import type { TestBroker } from "./broker.ts";
import { BrokerCluster } from "./broker-cluster.ts";
import { connectionTo } from "./connection.ts";
import { describeKafka, readTopic, waitFor } from "./harness.ts";
import { soak } from "./soak.ts";

const SAMPLE = join(import.meta.dirname, "../../data/sample");

describeKafka("three brokers, of which each in turn is killed or stopped", () => {
  it("generator, engine and prove go on; nothing is lost or duplicated", async () => {
    const faults = { kills: 0, brokerRestarts: 3, brokerStops: 1, engineRestarts: 0 };
    const result = await soak({ seed: "three", ...faults, days: 6, brokers: 3 });
    expect(result).toMatchObject({
      survivedFaults: 4,
      unaccounted: 0,
      doubled: 0,
      isManifestEqual: true,
      isDataEqual: true,
    });
    expect(result.happened["broker restart"]).toBeGreaterThanOrEqual(2);
    expect(result.happened["broker stop"]).toBe(1);
  }, 1_800_000);

  describe("the loader and the exporter", () => {
    let cluster: BrokerCluster;
    let admin: Admin;
    beforeAll(async () => {
      cluster = await BrokerCluster.start(3);
      admin = await openBroker(connectionTo(cluster.bootstrap), "test");
      await ensureTopics(admin, { database: null });
    });
    afterAll(async () => {
      await admin?.close();
      await cluster?.stop();
    });

    const load = async (onProgress: () => void) => {
      const { statement } = await loadIntoKafka(await openDataset(SAMPLE), {
        connection: connectionTo(cluster.bootstrap),
        admin,
        database: null,
        limit: 0,
        reset: true,
        force: false,
        onProgress,
      });
      return statement.counts;
    };
    const messages = async () => {
      const counts = STREAMS.map(async (stream) => {
        return [stream, (await readTopic(admin, streams[stream].topic)).length] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    };

    it.each([1, 2, 3])("goes on when broker %i is killed", async (id) => {
      const node = cluster.nodes[id - 1] as TestBroker;
      let killing: Promise<void> | undefined;
      const counts = await load(() => {
        killing ??= node.kill9();
      });
      await killing;
      expect(node.isRunning).toBe(false);
      expect(await messages()).toEqual(counts);
      await node.restart();
      await cluster.inSync(admin);
    });

    it("the exporter shows under-replicated partitions", async () => {
      const underReplicated = async () => {
        const name = 'kafka_topic_partition_under_replicated_partition{topic="geo_events"';
        const { text } = await collect(admin);
        const lines = text.split("\n").filter((line) => line.startsWith(name));
        return lines.map((line) => line.split(" ").at(-1)).join();
      };
      expect(await underReplicated()).toBe("0,0,0,0");
      const node = cluster.nodes[2] as TestBroker;
      await node.kill9();
      const isShown = async () => (await underReplicated()) === "1,1,1,1";
      await waitFor("each partition is under-replicated", () => isShown().catch(() => false));
      await node.restart();
      await cluster.inSync(admin);
      await waitFor("no partition is", async () => (await underReplicated()) === "0,0,0,0");
    });

    it("re-creates topics and loads while a broker is stopped", async () => {
      const node = cluster.nodes[1] as TestBroker;
      await node.shutDown();
      const counts = await load(() => undefined);
      expect(await messages()).toEqual(counts);
      await node.restart();
      await cluster.inSync(admin);
    });
  });
});
