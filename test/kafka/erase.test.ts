import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { openBroker } from "../../kafka/client.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { deleteStoredMessages } from "../../warehouse/keep/erase-topics.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, exactly, openWholeConsumer, storedNumbers } from "./consumer.ts";
import { describeKafka, waitUntilStored } from "./harness.ts";
import { numbered } from "./messages.ts";
import { emptyBroker } from "./shared-broker.ts";

describeKafka("messages in topics that stg has", () => {
  const directory = mkdtempSync(join(tmpdir(), "test-erase-"));
  let admin: Admin;
  let db: Consumer;
  let bootstrap: string;
  beforeAll(async () => {
    ({ bootstrap } = await emptyBroker());
    admin = await openBroker(connectionTo(bootstrap), "test");
    db = await openWholeConsumer(directory, connectionTo(bootstrap));
    await ensureTopics(admin, { database: db });
  });
  afterAll(async () => {
    await db?.close();
    await admin?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("are deleted there, and reading goes on", async () => {
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
