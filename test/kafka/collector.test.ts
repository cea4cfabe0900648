import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collectorMetrics as names } from "../../contract/metrics.ts";
import { openBrokerFeed } from "../../warehouse/reconciliation/broker-feed.ts";
import { proveWithFeed } from "../../warehouse/reconciliation/concurrent-loads.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { load } from "../support/pipeline.ts";
import { TestBroker } from "./broker.ts";
import { CollectorProcess } from "./collector-process.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, waitFor } from "./harness.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("pipeline collect of a stack", () => {
  const kafka = useSystem(
    new KafkaSystem({ broker: () => TestBroker.start(), database: openWholeConsumer }),
  );
  let collector: CollectorProcess;
  beforeAll(async () => {
    collector = await start();
  });
  afterAll(() => collector?.stop());

  const start = (...options: string[]) =>
    CollectorProcess.start({
      bootstrap: kafka.bootstrap,
      database: kafka.db.env,
      journal: join(kafka.directory, "journal"),
      options,
    });

  const answered: string[] = [];
  let sent = 0;
  /** Sends hits, some at once, each with an id; notes those that are answered. */
  const send = async (count: number) => {
    const ids = Array.from({ length: count }, () => `hit ${sent++}`);
    for (let from = 0; from < count; from += 20) {
      const part = ids.slice(from, from + 20).map(async (id) => {
        const visitor = `visitor ${sent % 7}`;
        if ((await collector.send({ id, visitor })) === 200) answered.push(id);
      });
      await Promise.all(part);
    }
  };
  const nothingWaits = () =>
    waitFor("all is delivered", async () => (await collector.metric(names.waiting)) === 0);
  const reconcile = async (): Promise<Reconciliation> => {
    await kafka.settle();
    await load(kafka.db, "full");
    return proveWithFeed(kafka.db, (isRetry) => openBrokerFeed(kafka.db, kafka.admin, isRetry));
  };
  const ids = async () => {
    const rows = await kafka.db.rows<{ id: string; copies: number }>(
      `SELECT JSONExtractString(body, 'id') AS id, count() AS copies
       FROM hits.outcome AS outcome FINAL
       JOIN (SELECT JSONExtractString(raw, 'event_id') AS event_id FROM stg.raw FINAL WHERE _topic = 'browser_events') AS message
         ON message.event_id = JSONExtractString(outcome.event, 'event_id')
       GROUP BY id`,
    );
    return new Map(rows.map(({ id, copies }) => [id, copies]));
  };

  it("loses and doubles no hit through kills of itself, and while the broker is away", async () => {
    await send(200);
    await Promise.all([
      send(200),
      waitFor("some are sent", async () => sent > 300).then(() => collector.kill9()),
    ]);
    collector = await start();
    await send(100);
    await nothingWaits();
    await kafka.broker.kill9();
    await send(200);
    await waitFor("the failure is reported", async () => {
      const health = await fetch(`http://${collector.target}/healthz`);
      return health.status === 503 && (await health.text()).includes("Kafka");
    });
    expect(await collector.metric(names.waiting)).toBe(200);
    expect(await collector.metric(names.oldestWaiting)).toBeGreaterThan(0);
    await collector.kill9();
    collector = await start();
    await send(50);
    await kafka.broker.restart();
    await nothingWaits();
    expect((await fetch(`http://${collector.target}/healthz`)).status).toBe(200);
    const { verdict, layers, notes } = await reconcile();
    const found = await ids();
    expect(answered.filter((id) => found.get(id) !== 1)).toEqual([]);
    expect([...found.values()].filter((copies) => copies !== 1)).toEqual([]);
    expect(notes.join()).toMatch(
      new RegExp(`the collector: ${found.size} hits = ${found.size} events`),
    );
    const account = layers.filter(({ identity }) => identity.includes("the collector"));
    expect(account.map(({ found: one, expected }) => one - expected)).toEqual([0, 0]);
    expect(verdict).toBe("accounted");
  });

  it("goes on in the next epoch when the topics are re-created", async () => {
    await kafka.reset();
    const before = answered.length;
    await send(40);
    await nothingWaits();
    const { verdict, messages } = await reconcile();
    const now = messages.filter(
      ({ epoch, stream }) => epoch === messages.at(-1)?.epoch && stream === "browser",
    );
    expect(now).toMatchObject([{ generated: 40, raw: 40, unaccounted: 0 }]);
    expect(answered.length).toBe(before + 40);
    expect(verdict).toBe("accounted");
  });

  it("answers 503 while the journal has no room, and takes hits again after the delivery", async () => {
    await collector.stop();
    collector = await start("--journal-mb", "1");
    await kafka.broker.kill9();
    const padding = "x".repeat(100_000);
    let status = 200;
    for (let n = 0; n < 20 && status === 200; n += 1)
      status = await collector.send({ id: `large ${n}`, padding });
    expect(status).toBe(503);
    await kafka.broker.restart();
    await nothingWaits();
    expect(await collector.send({ id: "last" })).toBe(200);
    expect(await collector.stop()).toBe(0);
    expect((await reconcile()).verdict).toBe("accounted");
  });
});
