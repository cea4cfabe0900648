import type { Admin } from "@platformatic/kafka";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { resetTopics } from "../../warehouse/epochs/topics.ts";
import { moveReaders } from "../../warehouse/keep/readers.ts";
import { requireRestorable, restoreSnapshot } from "../../warehouse/keep/restore.ts";
import { takeSnapshot } from "../../warehouse/keep/snapshot.ts";
import { connectionTo } from "./connection.ts";
import { exactly, storedNumbers } from "./consumer.ts";
import { type EngineSystem, openEngineSystem } from "./engine-system.ts";
import { describeKafka, waitUntilStored } from "./harness.ts";
import { IngestSystem } from "./ingest-system.ts";
import { numbered } from "./messages.ts";

describeKafka("readers of the topics after a restore", () => {
  /** Publishes, restores a snapshot of the first half, and expects every message once. */
  async function restoreHalf(
    db: Database,
    admin: Admin,
    publish: (from: number, count: number) => Promise<void>,
  ): Promise<void> {
    await publish(0, 1_000);
    await waitUntilStored(admin);
    await takeSnapshot(db, { name: "half", keep: 7 });
    await publish(1_000, 1_000);
    await waitUntilStored(admin);
    const snapshot = await requireRestorable(db, "half");
    let atExchange = 0;
    await restoreSnapshot(db, snapshot, {
      admin,
      move: async (copies) => {
        await moveReaders(copies, admin);
        const [row] = await copies.rows<{ rows: number }>("SELECT count() AS rows FROM `stg.raw`");
        atExchange = row?.rows ?? 0;
      },
    });
    expect(atExchange).toBe(1_000 * STREAMS.length);
    await publish(2_000, 500);
    await waitUntilStored(admin);
    for (const stream of STREAMS) expect(await storedNumbers(db, stream)).toEqual(exactly(2_500));
  }

  const publisherOf = (bootstrap: string) => async (from: number, count: number) => {
    const connection = connectionTo(bootstrap);
    const publisher = await KafkaPublisher.open({ connection, instance: "test" });
    await publisher.publishBatch(numbered(from, count));
    await publisher.close();
  };

  describe("of the Kafka engine", () => {
    let system: EngineSystem;
    beforeAll(async () => {
      system = await openEngineSystem();
    });
    afterAll(() => system?.close());

    it("go on after the snapshot", () =>
      restoreHalf(system.db, system.admin, publisherOf(system.bootstrap)));

    it("are needed by a restore, which changes nothing without them", async () => {
      const snapshot = await requireRestorable(system.db, "half");
      await expect(restoreSnapshot(system.db, snapshot)).rejects.toThrow("Nothing was changed");
    });

    it("begin with a new epoch if its topics are younger than the snapshot", async () => {
      const { bootstrap, admin, db } = system;
      await resetTopics(admin, { database: db, clearsLayers: true });
      await publisherOf(bootstrap)(5_000, 300);
      await waitUntilStored(admin);
      const snapshot = await requireRestorable(db, "half");
      await restoreSnapshot(db, snapshot, { admin, move: moveReaders });
      await waitUntilStored(admin);
      expect(await storedNumbers(db, "geo")).toMatchObject({ stored: 1_300, distinct: 1_300 });
    });
  });

  it("of pipeline ingest go on after the snapshot", async () => {
    const system = await IngestSystem.open();
    try {
      system.start();
      await restoreHalf(system.db, system.admin, publisherOf(system.broker.bootstrap));
    } finally {
      await system.close();
    }
  });
});
