import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { CONSUMER_GROUP, EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { evictMembers } from "../../kafka/consumer-groups.ts";
import type { PublishError } from "../../kafka/errors.ts";
import { readLatest } from "../../kafka/read.ts";
import { ScriptProcess } from "../support/process.ts";
import { sampleOf } from "../support/sample.ts";
import { TestBroker } from "./broker.ts";
import { exactly, openConsumer, storedNumbers } from "./consumer.ts";
import { ascending, describeKafka, numbersIn, range, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

/** Lifetimes of the reading process, ms; the flush interval is 3 s. */
const LIVES = sampleOf([4_000, 4_700, 5_300, 4_400, 6_100, 5_000], 3);

const PUBLISHER = join(import.meta.dirname, "publisher-process.ts");

describeKafka("no loss and no duplicate when something is killed", () => {
  const kafka = useSystem(new KafkaSystem({ broker: () => TestBroker.start() }));
  const openPublisher = (onFailure?: (failure: PublishError) => void) =>
    kafka.publisher({
      instance: "process",
      ...(onFailure ? { onFailure } : {}),
    });
  const stateIs = (next: number) => async () =>
    String((await readLatest(kafka.admin, STATE_TOPIC, "process"))?.value) === `{"next":${next}}`;
  const expectExactly = async (total: number) => {
    await waitFor(`the state is ${total}`, stateIs(total));
    for (const topic of EVENT_TOPICS) {
      // A visible state does not prove that other topics are visible, because each has its own
      // markers.
      const isVisible = async () => (await numbersIn(kafka.admin, topic)).length >= total;
      await waitFor(`all of ${topic} is visible`, isVisible);
      expect(ascending(await numbersIn(kafka.admin, topic))).toEqual(range(total));
    }
  };

  beforeEach(() => kafka.reset({ scope: "all" }));

  it("the publisher, several times, each time resuming from its state", async () => {
    const perBatch = 500;
    const startPublisher = async (total: number) => {
      const args = [PUBLISHER, kafka.bootstrap, `${total}`, `${perBatch}`];
      const publisher = new ScriptProcess(args);
      await publisher.printed(/from/);
      return publisher;
    };
    for (const delay of [300, 120, 450, 200, 350, 90, 270, 160]) {
      // Without an end, so that it is publishing when it is killed, however fast the machine is.
      const child = await startPublisher(Number.MAX_SAFE_INTEGER);
      await sleep(delay);
      expect(child.isRunning).toBe(true);
      await child.kill9();
    }
    const stored = await readLatest(kafka.admin, STATE_TOPIC, "process");
    const { next } = JSON.parse(String(stored?.value)) as { next: number };
    expect(next).toBeGreaterThan(0);
    const total = next + 20 * perBatch;
    expect(await (await startPublisher(total)).exit()).toBe(0);
    await expectExactly(total);
  });

  it("the broker, during publishing", async () => {
    const [total, perBatch] = [40_000, 500];
    const failures: PublishError[] = [];
    const publisher = await openPublisher((failure) => failures.push(failure));
    const publishing = (async () => {
      for (let n = 0; n < total; n += perBatch) {
        await publisher.publishBatch(numbered(n, perBatch), { state: { next: n + perBatch } });
        await sleep(30);
      }
    })();
    await sleep(700);
    await kafka.broker.kill9();
    await kafka.broker.restart();
    await sleep(900);
    await kafka.broker.kill9();
    await kafka.broker.restart();
    await publishing;
    await publisher.close();
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every(({ topics }) => Object.keys(topics).length > 0)).toBe(true);
    await expectExactly(total);
  });

  it("the broker, for longer than the publisher waits", async () => {
    const publisher = await kafka.publisher({
      instance: "process",
      patienceMs: 1_500,
    });
    await publisher.publishBatch(numbered(0, 100), { state: { next: 100 } });
    await kafka.broker.kill9();
    const failure = publisher.publishBatch(numbered(100, 100), { state: { next: 200 } });
    await expect(failure).rejects.toMatchObject({
      name: "PublishError",
      topics: { browser_events: 100, location_events: 100, device_events: 100, geo_events: 100 },
    });
    await kafka.broker.restart();
    await publisher.close();
    const next = await openPublisher();
    expect((await next.readLatest(STATE_TOPIC))?.value).toBe('{"next":100}');
    await next.publishBatch(numbered(100, 100), { state: { next: 200 } });
    await next.close();
    await expectExactly(200);
  });

  it("the database's process, while it reads", async () => {
    const directory = mkdtempSync(join(tmpdir(), "test-killed-"));
    const publisher = await openPublisher();
    let [sent, isOver] = [0, false];
    const publishing = (async () => {
      for (; !isOver; sent += 1_000) {
        await publisher.publishBatch(numbered(sent, 1_000));
        await sleep(100);
      }
    })();
    for (const life of LIVES) {
      // The next reader must not wait until the session of the dead one expires.
      await evictMembers(kafka.admin, [CONSUMER_GROUP]);
      const reader = await openConsumer(directory, kafka.connection);
      await sleep(life);
      await reader.kill9();
    }
    isOver = true;
    await publishing;
    await publisher.close();
    const survivor = await openConsumer(directory, kafka.connection);
    expect((await storedNumbers(survivor, "geo")).stored).toBeGreaterThan(0);
    await kafka.settle();
    for (const stream of STREAMS) {
      expect(await storedNumbers(survivor, stream)).toEqual(exactly(sent));
    }
    await survivor.close();
    rmSync(directory, { recursive: true, force: true });
  });
});
