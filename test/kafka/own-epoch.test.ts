import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pipelineMetrics } from "../../contract/metrics.ts";
import { openBroker } from "../../kafka/client.ts";
import { waitForConsumers } from "../../kafka/consumer-lag.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openWholeConsumer } from "./consumer.ts";
import { GeneratorProcess } from "./generator.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { emptyBroker, type SharedBroker } from "./shared-broker.ts";

const FAST = {
  GEN_MODEL_TIME_SPEED: "6000",
  GEN_TICK_SECONDS: "0.1",
  GEN_MAX_EVENTS_PER_TICK: "10000",
};

describeKafka("an epoch that the generator starts by itself", () => {
  let broker: SharedBroker;
  let admin: Admin;
  let db: Consumer;
  let generator: GeneratorProcess | undefined;
  const directory = mkdtempSync(join(tmpdir(), "test-own-epoch-"));

  beforeAll(async () => {
    broker = await emptyBroker();
    const connection = connectionTo(broker.bootstrap);
    admin = await openBroker(connection, "test");
    db = await openWholeConsumer(directory, connection);
    await ensureTopics(admin, { database: db });
  });
  afterAll(async () => {
    await generator?.kill9();
    await db?.close();
    await admin?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const brokerEpoch = async () => (await readEpoch(admin))?.epoch ?? 0;
  const stored = async (epoch: number) => {
    const [row] = await db.rows<{ rows: number }>(
      "SELECT count() AS rows FROM stg.raw FINAL WHERE _topic = 'browser_events' AND epoch = {epoch:UInt64}",
      { epoch },
    );
    return Number(row?.rows);
  };
  /** Publishes into an epoch until the database has stored some of it, then stops. */
  async function publish(env: Readonly<Record<string, string>>): Promise<number> {
    const process = await new GeneratorProcess(broker.bootstrap, env).listening();
    generator = process;
    await waitFor("it is live", async () => {
      const { step } = (await process.get("/status")).body.state as { step?: string };
      return step === "live";
    });
    const epoch = await brokerEpoch();
    await waitFor("its messages are stored", async () => (await stored(epoch)) > 50);
    await process.stop();
    await waitFor("all of them are stored", () => waitForConsumers(admin, 1_000));
    return epoch;
  }

  it("is the latest epoch in the metrics, and is registered once", async () => {
    const first = await publish(FAST);
    const second = await publish({ ...FAST, GEN_STATE_RESET: "true" });
    expect(second).toBeGreaterThan(first);
    const [raw] = await db.rows<{ value: number }>(
      `SELECT value FROM dm_internal.v_pipeline_metrics
       WHERE name = '${pipelineMetrics.messages}' AND labels['state'] = 'raw' AND labels['stream'] = 'browser'`,
    );
    expect(Number(raw?.value)).toBe(await stored(second));
    const epochs = await db.rows<{ epoch: number; reason: string }>(
      "SELECT DISTINCT epoch, reason FROM stg.epoch WHERE epoch >= {first:UInt64} ORDER BY epoch",
      { first },
    );
    expect(epochs).toEqual([
      { epoch: first, reason: "topics created" },
      { epoch: second, reason: "first message" },
    ]);
  });
});
