import { setTimeout as sleep } from "node:timers/promises";
import { Producer } from "@platformatic/kafka";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { clientOptions } from "../../kafka/client.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { waitForDecidedRanges, waitForOpenTransactions } from "../../kafka/open-transactions.ts";
import type { OffsetRange } from "../../kafka/read.ts";
import { endsOf } from "../../warehouse/loader/kafka.ts";
import type { GeneratorProcess } from "./generator.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

const WAITING = "still waiting";
const FAST = { GEN_TICK_SECONDS: "0.1", GEN_MAX_EVENTS_PER_TICK: "10000" };

/** Hides later commits, as if the broker had not written the transaction markers yet. */
describeKafka("behind a transaction that is open", () => {
  const kafka = useSystem(new KafkaSystem());
  let foreign: Producer<Buffer, Buffer, Buffer, Buffer>;
  const open = async (topic: string) => {
    const transaction = await foreign.beginTransaction({ producerId: -1n, producerEpoch: -1 });
    const value = Buffer.from("{}");
    await transaction.send({
      messages: [{ topic, key: Buffer.from("other"), value, partition: 0 }],
    });
    return transaction;
  };
  const publish = () => kafka.publish(numbered(0, 100));
  const isOver = (work: Promise<unknown>) =>
    Promise.race([work.then(() => "over"), sleep(700, WAITING)]);

  beforeEach(async () => {
    await kafka.reset({ scope: "all" });
    foreign = new Producer({
      ...clientOptions(kafka.connection, "foreign"),
      idempotent: true,
      transactionalId: "foreign",
    });
  });
  afterEach(async () => {
    await foreign.close();
  });

  const asking: [string, () => Promise<number>][] = [
    [
      "what the topics hold",
      async () => total((await waitForDecidedRanges(kafka.admin, EVENT_TOPICS)).flat()),
    ],
    ["what is to be stored", async () => total((await committedEnds(kafka.admin)).flat())],
    ["what a load has sent", async () => total(Object.values(await endsOf(kafka.admin)).flat())],
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
    const asked = waitForDecidedRanges(kafka.admin, ["browser_events", "geo_events"], 1_000);
    expect(await isOver(asked)).toBe(WAITING);
    const [browser = [], geo = []] = await asked;
    expect(total(browser)).toBeGreaterThanOrEqual(100);
    expect(geo[0]).toMatchObject({ partition: 0, end: 0n });
    await transaction.abort();
  });

  it("the next producer continues from what the system has committed", async () => {
    const transaction = await open(STATE_TOPIC);
    const first = await kafka.publisher();
    const state = { next: 100 };
    await first.publishBatch(numbered(0, 100), { state });
    await first.close();
    const next = await kafka.publisher();
    const asked = next.readLatest(STATE_TOPIC);
    expect(await isOver(asked)).toBe(WAITING);
    await transaction.commit();
    expect((await asked)?.value).toBe(JSON.stringify(state));
    await next.close();
  });

  it("a transaction that stays open is named after a bounded time", async () => {
    const transaction = await open(STATE_TOPIC);
    const said = waitForOpenTransactions(kafka.admin, STATE_TOPIC, 300);
    await expect(said).rejects.toThrow(
      `in the topic ${STATE_TOPIC} has been open for more than 0.3 s`,
    );
    await transaction.abort();
    await waitForOpenTransactions(kafka.admin, STATE_TOPIC);
  });

  it("a generator is paused once its last record is readable, and resumes from there", async () => {
    const generator = await kafka.generator(FAST).listening();
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

const statusOf = async (generator: GeneratorProcess): Promise<string> =>
  JSON.stringify(await generator.get("/status"));
