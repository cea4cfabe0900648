import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EVENT_TOPICS } from "../../contract/topics.ts";
import type { EmbeddedEngine } from "../../embedded/engine.ts";
import { openBroker } from "../../generator/adapters/kafka-client.ts";
import { ensureTopics } from "../../pipeline/broker/manage.ts";
import { runtimeCheck } from "../../pipeline/history/runtime-check.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { openWholeConsumer } from "./consumer.ts";
import { describeKafka, readTopic } from "./harness.ts";

describeKafka("the runtime check", () => {
  let broker: TestBroker;
  let admin: Admin;
  let db: EmbeddedEngine;
  const directory = mkdtempSync(join(tmpdir(), "test-history-"));
  const check = () =>
    runtimeCheck({
      admin,
      database: db,
      env: { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrap },
      liveSeconds: 45,
      onStep: () => undefined,
      onResult: () => undefined,
    });

  beforeAll(async () => {
    broker = await TestBroker.start();
    const connection = connectionTo(broker.bootstrap);
    admin = await openBroker(connection, "test");
    db = await openWholeConsumer(directory, connection);
    await ensureTopics(admin, { database: db });
  });
  afterAll(async () => {
    await db?.close();
    await admin?.close();
    await broker?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it("passes on a clean stand in less than two minutes, and leaves it clean", async () => {
    const start = Date.now();
    const results = await check();
    const seconds = (Date.now() - start) / 1000;
    console.log(`runtime check: ${seconds.toFixed(0)} s, ${results.length} checks`);
    expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(results.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["daily wave", "live goes on from T_end", "seam: same rate"]),
    );
    expect(seconds).toBeLessThan(120);
    for (const topic of EVENT_TOPICS) expect(await readTopic(admin, topic)).toEqual([]);
  }, 240_000);

  it("refuses a stand that is in use", async () => {
    await db.run(
      "INSERT INTO ods.browser_event (event_id, click_id) VALUES (generateUUIDv4(), generateUUIDv4())",
    );
    await expect(check()).rejects.toThrow(/not clean: ods holds 1 page events/);
  });
});
