import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import { expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import { parseMicros } from "../../contract/time.ts";
import { openBroker } from "../../kafka/client.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { waitForStorage } from "../../warehouse/loader/wait-for-storage.ts";
import { brokerFeed } from "../../warehouse/reconciliation/broker-feed.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { syncSources } from "../../warehouse/sources/broker.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { type Consumer, openWholeConsumer } from "./consumer.ts";
import { GeneratorProcess } from "./generator.ts";
import { describeKafka, readTopic } from "./harness.ts";
import { doubledIn } from "./soak-verdict.ts";

// Needs its own process: the engine cannot open a directory again after it has read from Kafka.
describeKafka("what the soak counts as doubled", () => {
  it("a duplicated message is found, whatever duplicates were injected", async () => {
    const broker = await TestBroker.start();
    const directory = mkdtempSync(join(tmpdir(), "test-soak-"));
    const connection = connectionTo(broker.bootstrap);
    const admin = await openBroker(connection, "test");
    const db = await openWholeConsumer(directory, connection);
    try {
      await ensureTopics(admin, { database: db });
      const env = { GEN_RUN_MODE: "backfill", GEN_MODEL_T_END: "2026-01-01T12:00:00Z" };
      expect(await new GeneratorProcess(broker.bootstrap, env).exit()).toBe(0);
      expect(await doubled(db, admin)).toEqual({ doubled: 0, injected: expect.any(Number) });

      const twice = (await readTopic(admin, "browser_events")).find(({ value }) =>
        /^{"event_id":"[-0-9a-f]{36}".*}$/.test(String(value)),
      );
      const publisher = await KafkaPublisher.open({ connection, instance: "repeater" });
      const browser = {
        keys: [twice?.key ?? ""],
        values: [String(twice?.value)],
        emittedAt: [parseMicros("2026-01-01T00:00:00Z")],
      };
      await publisher.publishBatch({ ...emptyBatch(), browser });
      await publisher.close();
      const found = await doubled(db, admin);
      expect(found.doubled).toBe(1);
      expect(found.injected).toBeGreaterThan(0);
    } finally {
      await db.close();
      await admin.close();
      await broker.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  async function doubled(db: Consumer, admin: Admin) {
    const epoch = (await syncSources(db, admin)) ?? 0;
    await waitForStorage(db, admin, epoch, () => undefined);
    await transform(db, { fullRefresh: true, waitSeconds: 60 });
    const reconciliation = await prove(db, brokerFeed(db, admin, epoch));
    const injected = reconciliation.defects.find(({ kind }) => kind === "duplicate")?.injected;
    return { doubled: await doubledIn(db, reconciliation), injected };
  }
});
