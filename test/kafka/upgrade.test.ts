import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EVENT_TOPICS } from "../../contract/topics.ts";
import { openBroker } from "../../kafka/client.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { EARLIER_RELEASE, RELEASE, TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { ascending, describeKafka, numbersIn, range } from "./harness.ts";
import { numbered } from "./messages.ts";

describeKafka("a change of Kafka's image", () => {
  let broker: TestBroker;
  let admin: Admin;
  const connection = () => connectionTo(broker.bootstrap);
  const open = async (): Promise<void> => {
    admin = await openBroker(connection(), "test");
  };

  beforeAll(async () => {
    broker = await TestBroker.start({}, { release: EARLIER_RELEASE });
    await open();
    await ensureTopics(admin, { database: null });
  });
  afterAll(async () => {
    await admin?.close();
    await broker?.stop();
  });

  async function restartAs(release: typeof RELEASE): Promise<void> {
    await admin.close();
    await broker.shutDown();
    await broker.restart(release);
    await open();
  }

  async function publish(from: number): Promise<void> {
    const publisher = await KafkaPublisher.open({ connection: connection(), instance: "test" });
    await publisher.publishBatch(numbered(from, 500));
    await publisher.close();
  }

  /** A reader sees a transaction some time after its commit was answered. */
  async function expectNumbers(count: number): Promise<void> {
    for (const topic of EVENT_TOPICS) {
      await expect
        .poll(async () => ascending(await numbersIn(admin, topic)), { timeout: 180_000 })
        .toEqual(range(count));
    }
  }

  it("keeps every message, and the same producer goes on", async () => {
    await publish(0);
    await restartAs(RELEASE);
    await expectNumbers(500);
    await publish(500);
    await expectNumbers(1_000);
  });

  it("back to the earlier image keeps what the newer one wrote", async () => {
    await restartAs(EARLIER_RELEASE);
    await expectNumbers(1_000);
    await publish(1_000);
    await expectNumbers(1_500);
  });
});
