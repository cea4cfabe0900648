import { randomBytes } from "node:crypto";
import { Producer } from "@platformatic/kafka";
import { beforeEach, expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import { BATCH_HISTORY_TOPIC, EVENT_TOPICS, STATE_TOPIC } from "../../contract/topics.ts";
import { clientOptions } from "../../kafka/client.ts";
import { FencedError, PublishError } from "../../kafka/errors.ts";
import { readLatest } from "../../kafka/read.ts";
import { deleteTopics } from "../../kafka/topics.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { connectionTo } from "./connection.ts";
import { ascending, describeKafka, numbersIn, range, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("publisher", () => {
  const kafka = useSystem(new KafkaSystem());
  const stored = async (topic: string, count: number) =>
    waitFor(
      `${topic} holds ${count}`,
      async () => (await numbersIn(kafka.admin, topic)).length >= count,
    );

  beforeEach(() => kafka.reset({ scope: "all" }));

  it("names the broker that it cannot reach, with a hint", async () => {
    const connection = connectionTo("127.0.0.1:1");
    await expect(kafka.publisher({ connection })).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(
        /^Kafka at 127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED/,
      ),
      hint: expect.stringContaining("make up"),
    });
  });

  it("writes key, value, epoch and emission time of every message, in order", async () => {
    const publisher = await kafka.publisher();
    await publisher.publishBatch({
      ...emptyBatch(),
      browser: {
        keys: ["a", "a", null, "ключ"],
        values: ['{"é":"😀"}', "", "x".repeat(70_000), "{broken"],
        emittedAt: [1_767_225_600_000_001, 1_767_225_600_000_002, null, 1_767_225_600_000_003],
      },
    });
    await publisher.close();
    await waitFor(
      "they are readable",
      async () => (await readTopic(kafka.admin, "browser_events")).length === 4,
    );
    const records = await readTopic(kafka.admin, "browser_events");
    const found = records.map(({ key, value, headers }) => ({
      key,
      value: String(value).slice(0, 20),
      headers: Object.fromEntries(headers),
    }));
    const epoch = String(publisher.epoch);
    const at = (last: number) => `2026-01-01 00:00:00.00000${last}`;
    expect(found).toContainEqual({ key: null, value: "x".repeat(20), headers: { epoch } });
    expect(found).toContainEqual({
      key: "ключ",
      value: "{broken",
      headers: { epoch, emitted_at: at(3) },
    });
    expect(found.filter(({ key }) => key === "a")).toEqual([
      { key: "a", value: '{"é":"😀"}', headers: { epoch, emitted_at: at(1) } },
      { key: "a", value: "", headers: { epoch, emitted_at: at(2) } },
    ]);
  });

  it("commits a batch, its history record and the state together", async () => {
    const publisher = await kafka.publisher();
    await publisher.publishBatch(numbered(0, 100), { state: { next: 100 }, history: history(1) });
    await publisher.publishBatch(numbered(100, 100), { state: { next: 200 }, history: history(2) });
    await publisher.close();
    for (const topic of EVENT_TOPICS) {
      await stored(topic, 200);
      expect(ascending(await numbersIn(kafka.admin, topic))).toEqual(range(200));
    }
    const batches = await readTopic(kafka.admin, BATCH_HISTORY_TOPIC);
    expect(batches.map(({ key }) => key)).toEqual(["batch-1", "batch-2"]);
    const state = await readLatest(kafka.admin, STATE_TOPIC, "test");
    expect(String(state?.value)).toBe('{"next":200}');
    expect(await readLatest(kafka.admin, STATE_TOPIC, "other")).toBeNull();
  });

  it("puts waiting batches into one transaction, in order", async () => {
    const publisher = await kafka.publisher();
    const batches = range(40).map((n) =>
      publisher.publishBatch(numbered(n * 50, 50), { state: { next: n }, history: history(n) }),
    );
    await Promise.all(batches);
    await publisher.close();
    await stored("browser_events", 2_000);
    const records = await readTopic(kafka.admin, "browser_events");
    const perKey = Map.groupBy(records, ({ key }) => key);
    for (const ofKey of perKey.values()) {
      const numbers = ofKey.map(({ value }) => (JSON.parse(String(value)) as { n: number }).n);
      expect(numbers).toEqual(ascending(numbers));
    }
    // One state per transaction, not per batch.
    expect((await readTopic(kafka.admin, STATE_TOPIC)).length).toBeLessThan(10);
    expect(await readTopic(kafka.admin, BATCH_HISTORY_TOPIC)).toHaveLength(40);
    expect(String((await readLatest(kafka.admin, STATE_TOPIC, "test"))?.value)).toBe('{"next":39}');
  });

  it("sends several record batches of one partition in one transaction, in order", async () => {
    const publisher = await kafka.publisher();
    // Values of half a MiB never share a record batch, and one key means one partition.
    const values = range(5).map((n) => `${n}`.padEnd(500_000, `${n}`));
    await publisher.publishBatch({
      ...emptyBatch(),
      geo: { keys: values.map(() => "visit"), values, emittedAt: values.map(() => null) },
    });
    // A failed attempt leaves aborted records before them.
    expect(publisher.ends.geo_events?.filter((end) => end >= 5)).toHaveLength(1);
    await publisher.close();
    await waitFor(
      "they are readable",
      async () => (await readTopic(kafka.admin, "geo_events")).length === 5,
    );
    const found = (await readTopic(kafka.admin, "geo_events")).map(({ value }) => String(value));
    expect(found.map((value) => values.indexOf(value))).toEqual([0, 1, 2, 3, 4]);
  });

  it("finds the latest state among thousands and after aborted ones", async () => {
    const publisher = await kafka.publisher();
    for (const n of range(30)) {
      await Promise.all(
        range(5).map(() => publisher.publishBatch(emptyBatch(), { history: history(n) })),
      );
      await publisher.publishBatch(emptyBatch(), { state: { n } });
    }
    await publisher.close();
    const foreign = foreignProducer(kafka.bootstrap, "state-noise");
    const messages = range(300).map((n) => ({
      topic: STATE_TOPIC,
      key: "noise",
      value: String(n),
    }));
    await foreign.send({ messages: messages.slice(0, 150) });
    const transaction = await foreign.beginTransaction({ producerId: -1n, producerEpoch: -1 });
    await transaction.send({ messages: [{ topic: STATE_TOPIC, key: "test", value: "aborted" }] });
    await transaction.abort();
    await foreign.send({ messages: messages.slice(150) });
    await foreign.close();
    await waitFor(
      "the abort is marked",
      async () => (await readTopic(kafka.admin, STATE_TOPIC)).length >= 330,
    );
    expect(String((await readLatest(kafka.admin, STATE_TOPIC, "test"))?.value)).toBe('{"n":29}');
  });

  it("fences a second generator of the same instance, whichever opened first", async () => {
    const first = await kafka.publisher();
    await first.publishBatch(numbered(0, 10));
    const second = await kafka.publisher();
    await expect(first.publishBatch(numbered(10, 10))).rejects.toThrow(FencedError);
    await second.publishBatch(numbered(20, 10));
    await expect(first.publishBatch(numbered(30, 10))).rejects.toThrow(/event-pipeline-test/);
    const other = await kafka.publisher({ instance: "other" });
    await second.publishBatch(numbered(40, 10));
    await Promise.all([first.close(), second.close(), other.close()]);
    await stored("device_events", 30);
    expect(ascending(await numbersIn(kafka.admin, "device_events"))).toEqual(
      range(50).filter((n) => n < 10 || (n >= 20 && n < 30) || n >= 40),
    );
  });

  it("refuses a message that the broker rejects, counts its topic, and continues", async () => {
    const failures: PublishError[] = [];
    const publisher = await kafka.publisher({ onFailure: (failure) => failures.push(failure) });
    const bad = numbered(0, 10);
    // This message is incompressible and larger than the largest allowed record.
    bad.location.values[3] = randomBytes(5 * 1024 * 1024).toString("latin1");
    const publishing = publisher.publishBatch(bad, { state: { next: 10 } });
    await expect(publishing).rejects.toThrow(PublishError);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ topics: { location_events: 10 }, outcome: "aborted" });
    await publisher.publishBatch(numbered(0, 10), { state: { next: 10 } });
    await publisher.close();
    for (const topic of EVENT_TOPICS) {
      await stored(topic, 10);
      expect(ascending(await numbersIn(kafka.admin, topic))).toEqual(range(10));
    }
  });

  it("names the missing topic after the retry time, and publishes when it is back", async () => {
    const publisher = await kafka.publisher({ patienceMs: 1_000 });
    await deleteTopics(kafka.admin, ["geo_events"]);
    const error: unknown = await publisher.publishBatch(numbered(0, 10)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PublishError);
    expect((error as PublishError).message).toMatch(/geo_events/);
    expect(await readTopic(kafka.admin, "browser_events")).toEqual([]);
    await publisher.close();
    await ensureTopics(kafka.admin, { database: null });
    const again = await kafka.publisher();
    await again.publishBatch(numbered(0, 10));
    await again.close();
    await stored("geo_events", 10);
    expect(await numbersIn(kafka.admin, "browser_events")).toHaveLength(10);
  });

  it("has no capacity while two transactions wait, and again after one commit", async () => {
    const publisher = await kafka.publisher();
    let committed = 0;
    const publishing = range(15).map((n) =>
      publisher.publishBatch(numbered(n * 1_000, 1_000)).then(() => {
        committed += 1;
      }),
    );
    await publisher.hasRoom();
    // The first transaction took 7 of 4,000 messages; the rest is not committed yet.
    expect(committed).toBe(7);
    await Promise.all(publishing);
    await publisher.close();
  });

  it("continues after a batch that it cannot encode, and rejects those behind it", async () => {
    const publisher = await kafka.publisher();
    const broken = numbered(0, 3);
    Object.defineProperty(broken.geo.values, 2, {
      get: () => {
        throw new Error("out of memory");
      },
    });
    const outcomes = await Promise.allSettled([
      publisher.publishBatch(broken, { state: { next: 3 } }),
      publisher.publishBatch(numbered(3, 3), { state: { next: 6 } }),
    ]);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { message: "out of memory" } },
      { status: "rejected", reason: { message: "out of memory" } },
    ]);
    await publisher.publishBatch(numbered(6, 2), { state: { next: 8 } });
    await publisher.close();
    for (const topic of EVENT_TOPICS) {
      await stored(topic, 2);
      expect(ascending(await numbersIn(kafka.admin, topic))).toEqual([6, 7]);
    }
  });

  it("reports a background failure at the next call", async () => {
    const publisher = await kafka.publisher({ patienceMs: 10_000 });
    for (const n of range(20)) await publisher.publish(numbered(n * 1_000, 1_000));
    await publisher.flush();
    await kafka.reset();
    await publisher.publish(numbered(0, 10)).catch(() => undefined);
    await expect(publisher.close()).rejects.toThrow(FencedError);
  });
});

const foreignProducer = (bootstrap: string, transactionalId: string) =>
  new Producer<string, string, string, string>({
    ...clientOptions(connectionTo(bootstrap), "foreign"),
    idempotent: true,
    transactionalId,
    serializers: {
      key: (text) => Buffer.from(text ?? ""),
      value: (text) => Buffer.from(text ?? ""),
    },
  });

const history = (n: number) => ({
  batch_id: `batch-${n}`,
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:00.100Z",
  sent_total: 400,
  sent_browser: 100,
  sent_location: 100,
  sent_device: 100,
  sent_geo: 100,
  status: "success" as const,
  error_message: "",
});
