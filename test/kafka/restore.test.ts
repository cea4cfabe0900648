import { describe, expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { moveReaders } from "../../warehouse/keep/readers.ts";
import { requireRestorable, restoreSnapshot } from "../../warehouse/keep/restore.ts";
import { takeSnapshot } from "../../warehouse/keep/snapshot.ts";
import { exactly, openWholeConsumer, storedNumbers } from "./consumer.ts";
import { describeKafka } from "./harness.ts";
import { IngestSystem } from "./ingest-system.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("readers of the topics after a restore", () => {
  /** Publishes, restores a snapshot of the first half, and expects every message once. */
  async function restoreHalf(kafka: KafkaSystem<ServerDatabase>): Promise<void> {
    const { admin, db } = kafka;
    const publish = (from: number, count: number) => kafka.publish(numbered(from, count));
    await publish(0, 1_000);
    await kafka.settle();
    await takeSnapshot(db, { name: "half", keep: 7 });
    await publish(1_000, 1_000);
    await kafka.settle();
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
    await kafka.settle();
    for (const stream of STREAMS) expect(await storedNumbers(db, stream)).toEqual(exactly(2_500));
  }

  describe("of the Kafka engine", () => {
    const kafka = useSystem(new KafkaSystem({ database: openWholeConsumer }));

    it("go on after the snapshot", () => restoreHalf(kafka));

    it("are needed by a restore, which changes nothing without them", async () => {
      const snapshot = await requireRestorable(kafka.db, "half");
      await expect(restoreSnapshot(kafka.db, snapshot)).rejects.toThrow("Nothing was changed");
    });

    it("begin with a new epoch if its topics are younger than the snapshot", async () => {
      const { admin, db } = kafka;
      await kafka.reset({ clearsLayers: true });
      await kafka.publish(numbered(5_000, 300));
      await kafka.settle();
      const snapshot = await requireRestorable(db, "half");
      await restoreSnapshot(db, snapshot, { admin, move: moveReaders });
      await kafka.settle();
      expect(await storedNumbers(db, "geo")).toMatchObject({ stored: 1_300, distinct: 1_300 });
    });
  });

  describe("of pipeline ingest", () => {
    const ingest = useSystem(new IngestSystem());

    it("go on after the snapshot", () => {
      ingest.start();
      return restoreHalf(ingest);
    });
  });
});
