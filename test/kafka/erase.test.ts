import { afterAll, beforeAll, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { deleteStoredMessages } from "../../warehouse/keep/erase-topics.ts";
import { connectionTo } from "./connection.ts";
import { exactly, storedNumbers } from "./consumer.ts";
import { type EngineSystem, openEngineSystem } from "./engine-system.ts";
import { describeKafka, waitUntilStored } from "./harness.ts";
import { numbered } from "./messages.ts";

describeKafka("messages in topics that stg has", () => {
  let system: EngineSystem;
  beforeAll(async () => {
    system = await openEngineSystem();
  });
  afterAll(() => system?.close());

  it("are deleted there, and reading goes on", async () => {
    const { bootstrap, admin, db } = system;
    const connection = connectionTo(bootstrap);
    const publisher = await KafkaPublisher.open({ connection, instance: "test" });
    await publisher.publishBatch(numbered(0, 200));
    await waitUntilStored(admin);
    await deleteStoredMessages(db, admin);
    const kept = (await committedEnds(admin)).flat();
    // The marker of the transaction follows the last message.
    expect(kept.map(({ start, end }) => end - start)).toEqual(kept.map(() => 1n));
    expect(kept.length).toBeGreaterThan(0);
    await publisher.publishBatch(numbered(200, 100));
    await publisher.close();
    await waitUntilStored(admin);
    for (const stream of STREAMS) expect(await storedNumbers(db, stream)).toEqual(exactly(300));
  });
});
