import { setTimeout as sleep } from "node:timers/promises";
import {
  ConfigResourceTypes,
  Consumer,
  IncrementalAlterConfigOperationTypes,
} from "@platformatic/kafka";
import { expect, it } from "vitest";
import type { BrokerConnection } from "../../contract/broker.ts";
import { UserError } from "../../contract/errors.ts";
import {
  BATCH_HISTORY_TOPIC,
  CONSUMER_GROUP,
  EVENT_TOPICS,
  HEADERS,
  STATE_TOPIC,
  topicSpecs,
} from "../../contract/topics.ts";
import { clientOptions } from "../../kafka/client.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { deleteTopics, verifyTopics } from "../../kafka/topics.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { describeKafka, numbersIn, range, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("topics", () => {
  const kafka = useSystem(new KafkaSystem({ withoutTopics: true }));
  const options = { database: null };
  const topicIds = async (topics: readonly string[]) => {
    const metadata = await kafka.admin.metadata({ topics: [...topics], forceUpdate: true });
    return topics.map((topic) => metadata.topics.get(topic)?.id);
  };

  it("names every missing topic with a hint", async () => {
    const differences = await verifyTopics(kafka.admin, topicSpecs());
    expect(differences.map(({ topic }) => topic)).toEqual(topicSpecs().map(({ name }) => name));
    expect(new Set(differences.map(({ what }) => what))).toEqual(new Set(["missing"]));
    expect(differences[0]?.hint).toMatch(/make topics/);
  });

  it("refuses a generator before the topics exist", async () => {
    const opening = kafka.publisher();
    await expect(opening).rejects.toThrow(/no topic browser_events, .*pipeline_epoch/);
    await expect(opening).rejects.toMatchObject({ hint: expect.stringMatching(/make topics/) });
  });

  it("creates them as declared, once", async () => {
    const first = await ensureTopics(kafka.admin, options);
    expect(first.created).toHaveLength(topicSpecs().length);
    expect(await verifyTopics(kafka.admin, topicSpecs())).toEqual([]);
    const ids = await topicIds(EVENT_TOPICS);
    const second = await ensureTopics(kafka.admin, options);
    expect(second).toEqual({ created: [], altered: [], epoch: first.epoch });
    expect(await topicIds(EVENT_TOPICS)).toEqual(ids);
  });

  it("names a changed setting and corrects it", async () => {
    await kafka.admin.incrementalAlterConfigs({
      resources: [
        {
          resourceType: ConfigResourceTypes.TOPIC,
          resourceName: STATE_TOPIC,
          configs: [
            {
              name: "cleanup.policy",
              value: "delete",
              configOperation: IncrementalAlterConfigOperationTypes.SET,
            },
          ],
        },
      ],
    });
    // The controller informs the broker a little later.
    await expect
      .poll(() => verifyTopics(kafka.admin, topicSpecs()), { timeout: 180_000 })
      .toEqual([
        {
          topic: STATE_TOPIC,
          what: "cleanup.policy is delete, declared compact",
          hint: expect.stringMatching(/make topics/),
        },
      ]);
    expect((await ensureTopics(kafka.admin, options)).altered).toEqual([STATE_TOPIC]);
    expect(await verifyTopics(kafka.admin, topicSpecs())).toEqual([]);
  });

  it("names a different number of partitions, which only a reset fixes", async () => {
    const differences = await verifyTopics(
      kafka.admin,
      topicSpecs()
        .slice(0, EVENT_TOPICS.length)
        .map((spec) => ({ ...spec, partitions: 6 })),
    );
    expect(differences).toHaveLength(EVENT_TOPICS.length);
    expect(differences[0]).toMatchObject({
      topic: "browser_events",
      what: "4 partitions, declared 6",
      hint: expect.stringMatching(/--reset/),
    });
  });

  it("refuses a reset while a generator is live, unless forced", async () => {
    const before = await topicIds(EVENT_TOPICS);
    const live = { isLive: async () => true };
    await expect(kafka.reset(live)).rejects.toThrow(UserError);
    expect(await topicIds(EVENT_TOPICS)).toEqual(before);
    const forced = await kafka.reset({ ...live, force: true });
    expect(await topicIds(EVENT_TOPICS)).not.toEqual(before);
    expect((await readEpoch(kafka.admin))?.epoch).toBe(forced.epoch);
  });

  it("recreates event topics empty under a greater epoch and keeps state and history", async () => {
    const publisher = await kafka.publisher({ instance: "kept" });
    await publisher.publishBatch(numbered(0, 50), { state: { at: 1 }, history });
    await publisher.close();
    const isStored = async () => (await numbersIn(kafka.admin, "geo_events")).length === 50;
    await waitFor("the batch is readable", isStored);

    const { epoch } = await kafka.reset();
    expect(epoch).toBeGreaterThan(publisher.epoch);
    for (const topic of EVENT_TOPICS) expect(await readTopic(kafka.admin, topic)).toEqual([]);
    expect(await readTopic(kafka.admin, BATCH_HISTORY_TOPIC)).toHaveLength(1);

    const next = await kafka.publisher({ instance: "kept" });
    expect(next.epoch).toBe(epoch);
    expect(await next.readLatest(STATE_TOPIC)).toEqual({
      value: '{"at":1}',
      epoch: publisher.epoch,
    });
    await next.close();
    await kafka.reset({ scope: "all" });
    expect(await readTopic(kafka.admin, STATE_TOPIC)).toEqual([]);
    expect(await readTopic(kafka.admin, BATCH_HISTORY_TOPIC)).toEqual([]);
  });

  it("fences a generator that still runs with the previous epoch", async () => {
    const publisher = await kafka.publisher({ instance: "running" });
    await publisher.publishBatch(numbered(0, 10));
    await kafka.reset();
    await expect(publisher.publishBatch(numbered(10, 10))).rejects.toThrow(/taken over/);
    await publisher.close();
    expect(await readTopic(kafka.admin, "browser_events")).toEqual([]);
  });

  it("loses nothing of a generator that restarts repeatedly while topics are re-created", async () => {
    const acknowledged: { readonly epoch: number; readonly n: number }[] = [];
    let isOver = false;
    let n = 0;
    // Behaves like a container that restarts whenever it is fenced.
    const generator = async (instance: string) => {
      while (!isOver) {
        try {
          const publisher = await kafka.publisher({ instance, attempts: 1 });
          try {
            while (!isOver) {
              const batch = numbered(n++, 1);
              await publisher.publishBatch(batch);
              const published = JSON.parse(batch.geo.values[0] ?? "") as { n: number };
              acknowledged.push({ epoch: publisher.epoch, n: published.n });
            }
          } finally {
            await publisher.close().catch(() => undefined);
          }
        } catch {
          await sleep(20);
        }
      }
    };
    const running = ["one", "two"].map(generator);
    for (const _ of range(IS_EXHAUSTIVE ? 4 : 1)) {
      const busy = await reader(kafka.connection);
      const reset = kafka.reset();
      await sleep(700);
      await busy.close(true);
      const { epoch } = await reset;
      const has = async () => acknowledged.filter((sent) => sent.epoch === epoch).length > 20;
      await waitFor("messages of the new epoch are sent", has);
    }
    isOver = true;
    await Promise.all(running);
    const current = (await readEpoch(kafka.admin))?.epoch;
    const sent = acknowledged.filter(({ epoch }) => epoch === current).map((of) => of.n);
    const lost = async () => {
      const found = new Set(await numbersIn(kafka.admin, "geo_events"));
      return sent.filter((number) => !found.has(number));
    };
    // Readers see a commit only after it is decided.
    await waitFor("all of it is visible", async () => (await lost()).length === 0);
    const records = await readTopic(kafka.admin, "geo_events");
    expect(new Set(records.map(({ headers }) => Number(headers.get(HEADERS.epoch))))).toEqual(
      new Set([current]),
    );
    expect(await lost()).toEqual([]);
  });

  /** A foreign member of the consumer group that rejoins when it is removed. */
  async function reader(connection: BrokerConnection): Promise<Consumer> {
    const consumer = new Consumer({
      ...clientOptions(connection, "reader"),
      groupId: CONSUMER_GROUP,
      autocommit: false,
    });
    const stream = await consumer.consume({ topics: ["browser_events"] });
    stream.on("error", () => undefined);
    stream.on("data", () => undefined);
    return consumer;
  }

  it("begins a new epoch if an event topic had to be re-created", async () => {
    const before = await readEpoch(kafka.admin);
    await deleteTopics(kafka.admin, ["geo_events"]);
    const { created, epoch } = await ensureTopics(kafka.admin, options);
    expect(created).toEqual(["geo_events"]);
    expect(epoch).toBeGreaterThan(before?.epoch ?? Number.POSITIVE_INFINITY);
  });

  it("gives the same result for several concurrent runs as for one", async () => {
    await deleteTopics(kafka.admin, EVENT_TOPICS);
    const all = await Promise.all(
      range(3).map(() => ensureTopics(kafka.admin, { database: null })),
    );
    expect(all.flatMap(({ created }) => created).toSorted()).toEqual([...EVENT_TOPICS].toSorted());
    expect(await verifyTopics(kafka.admin, topicSpecs())).toEqual([]);
    const epoch = (await readEpoch(kafka.admin))?.epoch;
    expect(Math.max(...all.map((one) => one.epoch))).toBe(epoch);
  });
});

const history = {
  batch_id: "batch-1",
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:00.100Z",
  sent_total: 200,
  sent_browser: 50,
  sent_location: 50,
  sent_device: 50,
  sent_geo: 50,
  status: "success" as const,
  error_message: "",
};
