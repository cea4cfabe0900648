import {
  type Admin,
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes,
} from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { UserError } from "../../contract/errors.ts";
import {
  BATCH_HISTORY_TOPIC,
  DEFAULT_SIZING,
  EVENT_TOPICS,
  STATE_TOPIC,
  topicSpecs,
} from "../../contract/topics.ts";
import { KafkaPublisher } from "../../generator/adapters/kafka.ts";
import { openBroker } from "../../generator/adapters/kafka-client.ts";
import { readEpoch } from "../../generator/adapters/kafka-epoch.ts";
import { ensureTopics, resetTopics } from "../../pipeline/broker/manage.ts";
import { verifyTopics } from "../../pipeline/broker/verify.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { describeKafka, numbersIn, readTopic, until } from "./harness.ts";
import { numbered } from "./messages.ts";

describeKafka("topics", () => {
  let broker: TestBroker;
  let admin: Admin;
  const options = { database: null };
  const topicIds = async (topics: readonly string[]) => {
    const metadata = await admin.metadata({ topics: [...topics], forceUpdate: true });
    return topics.map((topic) => metadata.topics.get(topic)?.id);
  };

  beforeAll(async () => {
    broker = await TestBroker.start();
    admin = await openBroker(connectionTo(broker.bootstrap), "test");
  });
  afterAll(async () => {
    await admin?.close();
    await broker?.stop();
  });

  it("names every missing topic and its cure", async () => {
    const differences = await verifyTopics(admin, topicSpecs());
    expect(differences.map(({ topic }) => topic)).toEqual(topicSpecs().map(({ name }) => name));
    expect(new Set(differences.map(({ what }) => what))).toEqual(new Set(["missing"]));
    expect(differences[0]?.cure).toMatch(/make topics/);
  });

  it("refuses a generator before the topics exist", async () => {
    const opening = KafkaPublisher.open({
      connection: connectionTo(broker.bootstrap),
      stand: "early",
    });
    await expect(opening).rejects.toThrow(/no topic browser_events, .*pipeline_epoch/);
    await expect(opening).rejects.toMatchObject({ next: expect.stringMatching(/make topics/) });
  });

  it("creates them as declared, once", async () => {
    const first = await ensureTopics(admin, options);
    expect(first.created).toHaveLength(topicSpecs().length);
    expect(await verifyTopics(admin, topicSpecs())).toEqual([]);
    const ids = await topicIds(EVENT_TOPICS);
    const second = await ensureTopics(admin, options);
    expect(second).toEqual({ created: [], altered: [], epoch: first.epoch });
    expect(await topicIds(EVENT_TOPICS)).toEqual(ids);
  });

  it("names a setting that was changed and puts it right", async () => {
    await admin.incrementalAlterConfigs({
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
    expect(await verifyTopics(admin, topicSpecs())).toEqual([
      {
        topic: STATE_TOPIC,
        what: "cleanup.policy is delete, declared compact",
        cure: expect.stringMatching(/make topics/),
      },
    ]);
    expect((await ensureTopics(admin, options)).altered).toEqual([STATE_TOPIC]);
    expect(await verifyTopics(admin, topicSpecs())).toEqual([]);
  });

  it("names another number of partitions, which only a reset cures", async () => {
    const differences = await verifyTopics(admin, topicSpecs({ ...DEFAULT_SIZING, partitions: 6 }));
    expect(differences).toHaveLength(EVENT_TOPICS.length);
    expect(differences[0]).toMatchObject({
      topic: "browser_events",
      what: "4 partitions, declared 6",
      cure: expect.stringMatching(/--reset/),
    });
  });

  it("refuses a reset while a generator is live, unless forced", async () => {
    const before = await topicIds(EVENT_TOPICS);
    const live = { ...options, isLive: async () => true };
    await expect(resetTopics(admin, live)).rejects.toThrow(UserError);
    expect(await topicIds(EVENT_TOPICS)).toEqual(before);
    const forced = await resetTopics(admin, { ...live, force: true });
    expect(await topicIds(EVENT_TOPICS)).not.toEqual(before);
    expect((await readEpoch(admin))?.epoch).toBe(forced.epoch);
  });

  it("recreates event topics empty under a greater epoch and keeps state and history", async () => {
    const connection = connectionTo(broker.bootstrap);
    const publisher = await KafkaPublisher.open({ connection, stand: "kept" });
    await publisher.publishBatch(numbered(0, 50), { state: { at: 1 }, history });
    await publisher.close();
    const isStored = async () => (await numbersIn(admin, "geo_events")).length === 50;
    await until("the batch is readable", isStored);

    const { epoch } = await resetTopics(admin, options);
    expect(epoch).toBeGreaterThan(publisher.epoch);
    for (const topic of EVENT_TOPICS) expect(await readTopic(admin, topic)).toEqual([]);
    expect(await readTopic(admin, BATCH_HISTORY_TOPIC)).toHaveLength(1);

    const next = await KafkaPublisher.open({ connection, stand: "kept" });
    expect(next.epoch).toBe(epoch);
    expect(await next.readLatest(STATE_TOPIC)).toEqual({
      value: '{"at":1}',
      epoch: publisher.epoch,
    });
    await next.close();
    await resetTopics(admin, { ...options, scope: "all" });
    expect(await readTopic(admin, STATE_TOPIC)).toEqual([]);
    expect(await readTopic(admin, BATCH_HISTORY_TOPIC)).toEqual([]);
  });

  it("fences a generator that still runs with the former epoch", async () => {
    const connection = connectionTo(broker.bootstrap);
    const publisher = await KafkaPublisher.open({ connection, stand: "running" });
    await publisher.publishBatch(numbered(0, 10));
    await resetTopics(admin, options);
    await expect(publisher.publishBatch(numbered(10, 10))).rejects.toThrow(/taken over/);
    await publisher.close();
    expect(await readTopic(admin, "browser_events")).toEqual([]);
  });

  it("begins a new epoch when an event topic had to be made anew", async () => {
    const before = await readEpoch(admin);
    await admin.deleteTopics({ topics: ["geo_events"] });
    const { created, epoch } = await ensureTopics(admin, options);
    expect(created).toEqual(["geo_events"]);
    expect(epoch).toBeGreaterThan(before?.epoch ?? Number.POSITIVE_INFINITY);
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
