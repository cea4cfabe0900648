import { setTimeout as sleep } from "node:timers/promises";
import { type Admin, Producer } from "@platformatic/kafka";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { clientOptions, openBroker } from "../../kafka/client.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { waitForDecidedRanges, waitForOpenTransactions } from "../../kafka/open-transactions.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import type { OffsetRange } from "../../kafka/read.ts";
import { ensureTopics, resetTopics } from "../../warehouse/epochs/topics.ts";
import { endsOf } from "../../warehouse/loader/kafka.ts";
import { connectionTo } from "./connection.ts";
import { GeneratorProcess } from "./generator.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { emptyBroker, type SharedBroker } from "./shared-broker.ts";

const WAITING = "still waiting";
const FAST = { GEN_TICK_SECONDS: "0.1", GEN_MAX_EVENTS_PER_TICK: "10000" };

/** Hides later commits, as if the broker had not written the transaction markers yet. */
describeKafka("behind a transaction that is open", () => {
  let broker: SharedBroker;
  let admin: Admin;
  let foreign: Producer<Buffer, Buffer, Buffer, Buffer>;
  let generator: GeneratorProcess | undefined;
  const open = async (topic: string) => {
    const transaction = await foreign.beginTransaction({ producerId: -1n, producerEpoch: -1 });
    const value = Buffer.from("{}");
    await transaction.send({
      messages: [{ topic, key: Buffer.from("other"), value, partition: 0 }],
    });
    return transaction;
  };
  const publish = async () => {
    const connection = connectionTo(broker.bootstrap);
    const publisher = await KafkaPublisher.open({ connection, instance: "test" });
    await publisher.publishBatch(numbered(0, 100));
    await publisher.close();
  };
  const isOver = (work: Promise<unknown>) =>
    Promise.race([work.then(() => "over"), sleep(700, WAITING)]);

  beforeAll(async () => {
    broker = await emptyBroker();
    admin = await openBroker(connectionTo(broker.bootstrap), "test");
    await ensureTopics(admin, { database: null });
  });
  beforeEach(async () => {
    await resetTopics(admin, { database: null, scope: "all" });
    foreign = new Producer({
      ...clientOptions(connectionTo(broker.bootstrap), "foreign"),
      idempotent: true,
      transactionalId: "foreign",
    });
  });
  afterEach(async () => {
    await generator?.kill9();
    generator = undefined;
    await foreign.close();
  });
  afterAll(async () => {
    await admin?.close();
  });

  const asking: [string, () => Promise<number>][] = [
    [
      "what the topics hold",
      async () => total((await waitForDecidedRanges(admin, EVENT_TOPICS)).flat()),
    ],
    ["what is to be stored", async () => total((await committedEnds(admin)).flat())],
    ["what a load has sent", async () => total(Object.values(await endsOf(admin)).flat())],
  ];
  it.each(asking)("%s is reported once the transaction is decided", async (_, ask) => {
    const transaction = await open("geo_events");
    await publish();
    const asked = ask();
    expect(await isOver(asked)).toBe(WAITING);
    await transaction.commit();
    expect(await asked).toBeGreaterThanOrEqual(400);
  });

  it("a decided commit is reported after a while, however long it stays invisible", async () => {
    const transaction = await open("geo_events");
    await publish();
    const asked = waitForDecidedRanges(admin, ["browser_events", "geo_events"], 1_000);
    expect(await isOver(asked)).toBe(WAITING);
    const [browser = [], geo = []] = await asked;
    expect(total(browser)).toBeGreaterThanOrEqual(100);
    expect(geo[0]).toMatchObject({ partition: 0, end: 0n });
    await transaction.abort();
  });

  it("the next producer continues from what the system has committed", async () => {
    const connection = connectionTo(broker.bootstrap);
    const transaction = await open(STATE_TOPIC);
    const first = await KafkaPublisher.open({ connection, instance: "test" });
    const state = { next: 100 };
    await first.publishBatch(numbered(0, 100), { state });
    await first.close();
    const next = await KafkaPublisher.open({ connection, instance: "test" });
    const asked = next.readLatest(STATE_TOPIC);
    expect(await isOver(asked)).toBe(WAITING);
    await transaction.commit();
    expect((await asked)?.value).toBe(JSON.stringify(state));
    await next.close();
  });

  it("a transaction that stays open is named after a bounded time", async () => {
    const transaction = await open(STATE_TOPIC);
    const said = waitForOpenTransactions(admin, STATE_TOPIC, 300);
    await expect(said).rejects.toThrow(
      `in the topic ${STATE_TOPIC} has been open for more than 0.3 s`,
    );
    await transaction.abort();
    await waitForOpenTransactions(admin, STATE_TOPIC);
  });

  it("a generator is paused once its last record is readable, and resumes from there", async () => {
    generator = await new GeneratorProcess(broker.bootstrap, FAST).listening();
    await waitFor("it ticks", async () => /"batches":[1-9]/.test(await statusOf(generator)));
    const transaction = await open(STATE_TOPIC);
    const pausing = generator.control({ operation: "pause" });
    expect(await isOver(pausing)).toBe(WAITING);
    await transaction.commit();
    expect((await pausing).status).toBe(200);
    expect((await generator.control({ operation: "resume" })).status).toBe(202);
    await sleep(500);
    expect(await generator.kind()).toBe("running");
  });
});

const total = (ranges: readonly OffsetRange[]): number =>
  ranges.reduce((sum, { start, end }) => sum + Number(end - start), 0);

const statusOf = async (generator: GeneratorProcess | undefined): Promise<string> =>
  JSON.stringify(await generator?.get("/status"));
