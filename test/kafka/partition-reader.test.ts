import { type Admin, Producer } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clientOptions, openBroker } from "../../kafka/client.ts";
import { createTopics } from "../../kafka/topics.ts";
import { Batch } from "../../warehouse/ingest/batch.ts";
import { PartitionReader } from "../../warehouse/ingest/reading.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { describeKafka, range, waitFor } from "./harness.ts";

const TOPIC = "foreign_events";
const PARTITIONS = [0, 1, 2];
/** More than one answer of the broker has of a partition. */
const BACKLOG = 40;
const VALUE = Buffer.alloc(50_000, "v");

describeKafka("the reader of several partitions", () => {
  let broker: TestBroker;
  let client: Admin;
  beforeAll(async () => {
    broker = await TestBroker.start();
    client = await openBroker(connectionTo(broker.bootstrap), "test");
    await createTopics(client, [{ name: TOPIC, partitions: PARTITIONS.length, configs: {} }]);
    await publishBacklog(broker.bootstrap);
  });
  afterAll(async () => {
    await client?.close();
    await broker?.stop();
  });

  const open = async (currentEpoch: () => Promise<bigint>) => {
    const lags = new Map<number, number>();
    const onLag = (partition: number, lag: number) => lags.set(partition, lag);
    const reader = new PartitionReader({ client, topic: TOPIC, currentEpoch, onLag });
    await reader.seek(new Map(PARTITIONS.map((partition) => [partition, 0n])));
    return { reader, lags };
  };

  it("reads from each while all have a backlog", async () => {
    const { reader, lags } = await open(async () => 7n);
    const batch = new Batch();
    await reader.readInto(batch);
    expect([...batch.next.keys()].sort()).toEqual(PARTITIONS);
    expect([...lags.values()].every((lag) => lag > 0)).toBe(true);
  });

  it("asks at most once per partition and answer for the epoch of messages without one", async () => {
    let calls = 0;
    const { reader, lags } = await open(async () => {
      calls += 1;
      return 7n;
    });
    const batch = new Batch();
    let reads = 0;
    await waitFor("every message is read", async () => {
      await reader.readInto(batch);
      reads += 1;
      return PARTITIONS.every((partition) => lags.get(partition) === 0);
    });
    const buffers = [...batch.buffers];
    expect(buffers.map(({ rows, epoch }) => [rows, epoch])).toEqual(
      PARTITIONS.map(() => [BACKLOG, 7n]),
    );
    expect(calls).toBeLessThanOrEqual(reads * PARTITIONS.length);
    expect(calls).toBeLessThan(BACKLOG);
  });
});

/** Publishes the same number of messages to every partition, one batch each. */
async function publishBacklog(bootstrap: string): Promise<void> {
  const options = clientOptions(connectionTo(bootstrap), "foreign");
  // Otherwise a message that is sent again after an error may be in the topic twice.
  const producer = new Producer({ ...options, idempotent: true });
  for (const _ of range(BACKLOG)) {
    await producer.send({
      messages: PARTITIONS.map((partition) => ({ topic: TOPIC, partition, value: VALUE })),
    });
  }
  await producer.close();
}
