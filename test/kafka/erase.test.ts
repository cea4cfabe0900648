import { expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { deleteStoredMessages } from "../../warehouse/keep/erase-topics.ts";
import { exactly, openWholeConsumer, storedNumbers } from "./consumer.ts";
import { describeKafka } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("messages in topics that stg has", () => {
  const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));

  it("are deleted there, and reading goes on", async () => {
    const { admin, db } = kafka;
    const publisher = await kafka.publisher();
    await publisher.publishBatch(numbered(0, 200));
    await kafka.settle();
    await deleteStoredMessages(db, admin);
    const kept = (await committedEnds(admin)).flat();
    // The marker of the transaction follows the last message.
    expect(kept.map(({ start, end }) => end - start)).toEqual(kept.map(() => 1n));
    expect(kept.length).toBeGreaterThan(0);
    await publisher.publishBatch(numbered(200, 100));
    await publisher.close();
    await kafka.settle();
    for (const stream of STREAMS) expect(await storedNumbers(db, stream)).toEqual(exactly(300));
  });
});
