import { randomBytes } from "node:crypto";
import { listTransactionsV0 } from "@platformatic/kafka";
import { beforeEach, expect, it } from "vitest";
import { EVENT_TOPICS } from "../../contract/topics.ts";
import { KnownRecord } from "../../generator/operations/known-record.ts";
import { cleanRecord } from "../../generator/operations/record.ts";
import { RetryingPublisher } from "../../generator/operations/retrying-publisher.ts";
import { FencedError } from "../../kafka/errors.ts";
import type { KafkaPublisher } from "../../kafka/publisher.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { TestBroker } from "./broker.ts";
import { ascending, describeKafka, numbersIn, range, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

/** Time after which the broker aborts an open transaction. */
const TIMEOUT_MS = 1_000;
const PER_BATCH = 2_000;
/** Pauses that must hit an open transaction. */
const PAUSES = IS_EXHAUSTIVE ? 2 : 1;

describeKafka("a transaction that the broker has timed out", () => {
  const kafka = useSystem(
    new KafkaSystem({
      broker: () =>
        TestBroker.start({ "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200" }),
    }),
  );
  let opened = 0;
  const open = (timeoutMs = TIMEOUT_MS) => {
    opened += 1;
    return kafka.publisher({
      attempts: 1,
      patienceMs: 10_000,
      transactionTimeoutMs: timeoutMs,
    });
  };
  const openSender = async () => {
    const publisher = await open();
    return new RetryingPublisher(publisher, {
      waits: { firstMs: 100, longestMs: 500, inAllMs: 600_000 },
      instance: "test",
      open,
      ends: {},
      known: new KnownRecord(publisher.epoch, null),
      signal: new AbortController().signal,
    });
  };
  const send = (sender: RetryingPublisher, number: number) =>
    sender.send({
      batch: numbered((number - 1) * PER_BATCH, PER_BATCH),
      record: { ...cleanRecord(), phase: "live", batches: number },
    });

  beforeEach(async () => {
    await kafka.reset({ scope: "all" });
    opened = 0;
  });

  /**
   * Waits until the broker knows an open transaction, or until all is sent. The transaction may
   * still end before the pause begins.
   */
  async function waitForOpenTransaction(sent: readonly Promise<void>[]): Promise<void> {
    let isOver = false;
    void Promise.allSettled(sent).then(() => {
      isOver = true;
    });
    await waitFor("a transaction is open", async () => isOver || isOpen(), 180_000, 1);
  }

  /** Returns true if the broker has an open transaction. */
  async function isOpen(): Promise<boolean> {
    const [connection] = (await kafka.admin.connectToBrokers()).values();
    if (!connection) throw new Error("no broker");
    const answer = await listTransactionsV0.api.async(connection, ["Ongoing"], [], -1n, null);
    return answer.transactionStates.length > 0;
  }

  it("is sent again by the same process if no other process has written", async () => {
    const sender = await openSender();
    const sent: Promise<void>[] = [];
    let number = 0;
    // A pause may fall between two transactions, so repeat until enough pauses have hit an open one.
    for (let round = 0; opened <= PAUSES && round < 30; round += 1) {
      for (let n = 0; n < 5; n += 1) sent.push(send(sender, ++number));
      await waitForOpenTransaction(sent);
      standStill(TIMEOUT_MS + 700);
      await Promise.all(sent);
    }
    expect(opened).toBeGreaterThan(PAUSES);
    await sender.close();
    for (const topic of EVENT_TOPICS) {
      // Readers see a commit only after it is decided.
      const isVisible = async () =>
        (await numbersIn(kafka.admin, topic)).length >= number * PER_BATCH;
      await waitFor(`all of ${topic} is visible`, isVisible);
      expect(ascending(await numbersIn(kafka.admin, topic))).toEqual(range(number * PER_BATCH));
    }
    expect((await kafka.frame())?.batches).toBe(number);
  });

  it("is reported as of unknown outcome; a younger one is reported as taken over", async () => {
    const patient = await leaveOpen(await open());
    await waitFor("the broker aborts it", async () => !(await isOpen()));
    await expect(patient.publishBatch(numbered(0, 10))).rejects.toMatchObject({
      name: "PublishError",
      outcome: "unknown",
    });
    const young = await leaveOpen(await open(60_000));
    const other = await open();
    await expect(young.publishBatch(numbered(0, 10))).rejects.toThrow(FencedError);
    await Promise.all([patient.close(), young.close(), other.close()]);
  });
});

/** A rejected message leaves the transaction open until the next attempt. */
async function leaveOpen(publisher: KafkaPublisher): Promise<KafkaPublisher> {
  const batch = numbered(0, 10);
  batch.location.values[3] = randomBytes(5 * 1024 * 1024).toString("latin1");
  await expect(publisher.publishBatch(batch)).rejects.toThrow(/location_events/);
  return publisher;
}

/** Stops the whole process for a while, as a sleeping machine would. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
