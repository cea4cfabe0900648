import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { withBroker } from "../../cli/options.ts";

import { UserError } from "../../contract/errors.ts";
import {
  BATCH_HISTORY_TOPIC,
  batchHistorySchema,
  EPOCH_KEY,
  EPOCH_TOPIC,
  STATE_TOPIC,
  topicSpecs,
} from "../../contract/topics.ts";
import { openDataset, SAMPLE_DATASET } from "../../generator/dataset/format.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { parseFrame } from "../../generator/operations/record.ts";
import { openBroker } from "../../kafka/client.ts";
import { encodeControl } from "../../kafka/encode.ts";
import { DamagedEpochError, readEpoch, waitForEpoch } from "../../kafka/epoch.ts";
import { openEpochProducer } from "../../kafka/epoch-writer.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { readLatest } from "../../kafka/read.ts";
import { verifyTopics } from "../../kafka/topics.ts";
import type { TransactionalProducer } from "../../kafka/transaction.ts";
import { ensureTopics, resetTopics } from "../../warehouse/epochs/topics.ts";
import { loadIntoKafka } from "../../warehouse/loader/kafka.ts";
import { type CliResult, pipeline, pipelineAsync } from "../support/cli.ts";
import { itLong } from "../support/long-cases.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { FAST, GeneratorProcess } from "./generator.ts";
import { describeKafka, readTopic, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";

describeKafka("commands when the broker fails them", () => {
  let broker: TestBroker;
  let admin: Admin;
  beforeAll(async () => {
    broker = await TestBroker.start();
  });
  beforeEach(async () => {
    // The test has killed it already.
    const isAfresh = !broker.isRunning;
    if (isAfresh) await broker.restart();
    admin = await openBroker(connectionTo(broker.bootstrap), "test");
    // A restarted broker may not serve all topics at once.
    const hasEpoch = () => readEpoch(admin).then(Boolean, () => false);
    if (isAfresh) await waitFor("its topics can be read", hasEpoch);
    await ensureTopics(admin, { database: null });
  });
  afterEach(async () => {
    await admin?.close();
  });
  afterAll(async () => {
    await broker?.stop();
  });

  it("a broker that stops during a command is reported with a hint, without a stack trace", async () => {
    const asking = withBroker(broker.bootstrap, undefined, async (of) => {
      await broker.kill9();
      await verifyTopics(of.admin, topicSpecs());
    });
    await expect(asking).rejects.toBeInstanceOf(UserError);
    await expect(asking).rejects.toMatchObject({
      message: expect.stringMatching(/^Kafka at 127\.0\.0\.1:\d+ reported an error: \S/),
      hint: expect.stringMatching(/make urls/),
    });
  });

  it("a starting broker is awaited for the given time", async () => {
    await broker.kill9();
    const address = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrap };
    const asked = Date.now();
    const { status, stderr } = pipeline(["topics", "--wait", "2"], address);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /Kafka at 127\.0\.0\.1:\d+ has not started within 2 s: \S.*\n +hint: .*make logs/,
    );
    expect(Date.now() - asked).toBeGreaterThan(2_000);
    const waiting = pipelineAsync(["topics", "--wait", "120"], address);
    await broker.restart();
    expect(await waiting).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Topics ready: /),
    });
  });

  itLong("a broker that stops during publishing is reported with the command's hint", async () => {
    const again = "retry; pipeline data starts from scratch";
    const publishing = withBroker(
      broker.bootstrap,
      undefined,
      async ({ connection }) => {
        const publisher = await KafkaPublisher.open({
          connection,
          instance: "a",
          patienceMs: 5_000,
        });
        await broker.kill9();
        try {
          await publisher.publishBatch(numbered(0, 10));
        } finally {
          await publisher.close();
        }
      },
      again,
    );
    await expect(publishing).rejects.toBeInstanceOf(UserError);
    await expect(publishing).rejects.toMatchObject({
      message: expect.stringMatching(/Publishing to .*browser_events/),
      hint: again,
    });
  });

  it("the generator answers 503 with the next step during an outage, and works again after it", async () => {
    const standby = new GeneratorProcess(broker.bootstrap, { GEN_ENABLED: "false" });
    await standby.listening();
    const backfill = { operation: "backfill", t_end: "2026-01-01T01:00:00Z" };
    const dryRun = { ...backfill, operation: "dry_run", of: "backfill" };
    expect((await standby.control(dryRun)).status).toBe(200);
    await broker.kill9();
    for (const request of [dryRun, backfill]) {
      expect(await standby.control(request)).toEqual({
        status: 503,
        body: {
          error: expect.stringMatching(/^Kafka at 127\.0\.0\.1:\d+ reported an error: \S/),
          hint: expect.stringMatching(/make urls/),
        },
      });
    }
    expect(await standby.kind()).toBe("standby");
    await broker.restart();
    let { status } = await standby.control(backfill);
    const isAnswered = async () => {
      if (status === 503) ({ status } = await standby.control(backfill));
      return status !== 503;
    };
    await waitFor("the broker answers the generator", isAnswered);
    expect(status).toBe(202);
    await waitFor("it is finished", async () => (await standby.kind()) === "finished");
    expect(await standby.stop()).toBe(0);
  });

  it("resends a tick after a broker outage: counted, recorded as partial, in order", async () => {
    await resetTopics(admin, { database: null, scope: "all" });
    const live = await new GeneratorProcess(broker.bootstrap, FAST).listening();
    const frame = async () => {
      const stored = await readLatest(admin, STATE_TOPIC, "test");
      return stored?.value ? parseFrame(String(stored.value)) : null;
    };
    await waitFor("it ticks", async () => ((await frame())?.batches ?? 0) > 3);
    const errors = /^generator_publish_errors_total\{topic="geo_events"\} ([1-9]\d*)$/m;
    await broker.kill9();
    await waitFor("a tick fails", async () => errors.test(await live.metrics()));
    await broker.restart();
    // A restarted broker may not serve all topics at once.
    const isReadable = () => frame().then(Boolean, () => false);
    await waitFor("the state can be read", isReadable);
    const before = (await frame())?.batches ?? 0;
    await waitFor("it continues", async () => ((await frame())?.batches ?? 0) > before + 3);
    await live.control({ operation: "pause" });
    const batches = (await readTopic(admin, BATCH_HISTORY_TOPIC)).map(({ value }) =>
      batchHistorySchema.parse(JSON.parse(String(value))),
    );
    const partial = batches.filter(({ status }) => status === "partial");
    expect(partial.length).toBeGreaterThan(0);
    expect(partial[0]?.error_message).toMatch(/Publishing to .*browser_events.* failed/);
    const numbers = batches.map(({ batch_id }) => Number(batch_id.split("-").at(-1)));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const sent = batches.reduce((sum, { sent_browser }) => sum + sent_browser, 0);
    expect(await readTopic(admin, "browser_events")).toHaveLength(sent);
    await live.kill9();
  });

  itLong("a load whose topics are re-created meanwhile prints how to load again", async () => {
    const dataset = await openDataset(SAMPLE_DATASET);
    const env = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrap };
    let reset: CliResult | undefined;
    const loading = loadIntoKafka(dataset, {
      connection: connectionTo(broker.bootstrap),
      admin,
      database: null,
      limit: 0,
      reset: false,
      force: false,
      // Runs in another process while this one is blocked, so that the load cannot finish first.
      onProgress: () => {
        reset ??= pipeline(["topics", "--reset", "--force"], env);
      },
    });
    await expect(loading).rejects.toMatchObject({
      message: expect.stringMatching(/topics were re-created/),
      hint: expect.stringMatching(/pipeline data/),
    });
    expect(reset?.status).toBe(0);
  });

  /** Waits until readers see the commit, which is decided before. */
  async function damageEpoch(): Promise<TransactionalProducer> {
    const producer = await openEpochProducer(admin);
    await producer.commit(epochBatch('{"epoch":"yesterday"}'));
    await waitFor("the damaged record is read", async () =>
      readEpoch(admin).then(
        () => false,
        (error) => error instanceof DamagedEpochError,
      ),
    );
    return producer;
  }

  const epochBatch = (value: string) =>
    encodeControl(1, [{ topic: EPOCH_TOPIC, key: EPOCH_KEY, value }]);

  itLong("a new epoch is awaited while readers still see a damaged one", async () => {
    const producer = await damageEpoch();
    const started_at = new Date().toISOString();
    const seen = waitForEpoch(admin, 5).then(() => "seen");
    expect(await Promise.race([seen, sleep(200, "still waiting")])).toBe("still waiting");
    await producer.commit(epochBatch(JSON.stringify({ epoch: 5, reason: "test", started_at })));
    expect(await seen).toBe("seen");
    // An earlier epoch needs no wait, because readers see a later one.
    await waitForEpoch(admin, 4);
  });

  itLong("a damaged epoch record is named, and its hint works", async () => {
    const before = await readEpoch(admin);
    await damageEpoch();
    await expect(liveInstances(admin)).rejects.toMatchObject({
      message: expect.stringMatching(/record of the epoch.*damaged/),
    });
    const lost = new GeneratorProcess(broker.bootstrap, {});
    expect(await lost.exit()).toBe(1);
    expect(lost.output).toMatch(/damaged: .*yesterday.*epoch: .*Allowed: JSON like/);
    expect(lost.output).toMatch(/"hint":"[^"]*pipeline topics --reset --force/);
    const env = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrap };
    const { stderr } = pipeline(["topics"], env);
    const hint = /hint: .*pipeline (topics(?: --\w+)+)/.exec(stderr)?.[1] ?? "";
    expect(hint).toBe("topics --reset --force");
    const fixed = pipeline(hint.split(" "), env);
    expect(fixed.stderr).toMatch(/^warning: CLICKHOUSE_URL is not set: .*\n$/);
    expect(fixed.status).toBe(0);
    expect((await readEpoch(admin))?.epoch).toBeGreaterThan(
      before?.epoch ?? Number.POSITIVE_INFINITY,
    );
  });
});
