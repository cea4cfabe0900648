import { expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { CONSUMER_GROUP } from "../../contract/topics.ts";
import { defineBroker } from "../../warehouse/epochs/named-collection.ts";
import { pauseConsumption, resumeConsumption } from "../../warehouse/ingest/consumption.ts";
import { itLong } from "../support/long-cases.ts";
import { connectionTo } from "./connection.ts";
import { openConsumer } from "./consumer.ts";
import { describeKafka, range, waitFor } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("pausing, resuming and resetting", () => {
  const system = useSystem(new KafkaSystem({ database: openConsumer }));

  it("finishes its current block before it pauses", async () => {
    await system.reset();
    const publisher = await system.publisher();
    let isPaused = false;
    const publishing = (async () => {
      for (let n = 0; !isPaused; n += 500) await publisher.publishBatch(numbered(n, 500));
    })();
    const stored = async () =>
      (
        await system.db.rows<{ rows: number }>(
          "SELECT count() AS rows FROM stg.raw WHERE _topic = 'geo_events'",
        )
      )[0]?.rows ?? 0;
    const before = await stored();
    await waitFor("blocks are being stored", async () => (await stored()) > before);
    await pauseConsumption(system.db, system.admin);
    isPaused = true;
    await publishing;
    await publisher.close();
    const [group] = await system.admin.listConsumerGroupOffsets({ groups: [CONSUMER_GROUP] });
    const geo = group?.topics.find(({ name }) => name === "geo_events");
    const committed = (geo?.partitions ?? []).map((of) => ({
      partition: of.partitionIndex,
      next: Number(of.committedOffset),
    }));
    const rows = await system.db.rows(
      `SELECT _partition AS partition, max(_offset) + 1 AS next FROM stg.raw
       WHERE _topic = 'geo_events' AND epoch = {epoch:UInt64} GROUP BY _partition ORDER BY _partition`,
      { epoch: publisher.epoch },
    );
    expect(committed.sort((a, b) => a.partition - b.partition)).toEqual(rows);
    await resumeConsumption(system.db);
    await system.settle();
    for (const stream of STREAMS) {
      const [row] = await system.db.rows<{ stored: number; distinct: number; last: number }>(
        `SELECT count() AS stored, uniqExact(raw) AS distinct, max(JSONExtractUInt(raw, 'n')) AS last
         FROM stg.raw FINAL WHERE _topic = '${stream}_events' AND epoch = {epoch:UInt64}`,
        { epoch: publisher.epoch },
      );
      const count = (row?.last ?? 0) + 1;
      expect(row).toEqual({ stored: count, distinct: count, last: row?.last });
    }
  });

  it("neither skips nor duplicates messages over two resets under load", async () => {
    await system.reset();
    const epochs: { epoch: number; count: number }[] = [];
    for (const round of range(2)) {
      const publisher = await system.publisher();
      const count = 3_000 + round * 500;
      for (const n of range(count / 500)) await publisher.publishBatch(numbered(n * 500, 500));
      await publisher.close();
      epochs.push({ epoch: publisher.epoch, count });
      if (round === 0) await system.settle();
      // The second reset starts while blocks of the second epoch are being read.
      await system.reset();
    }
    const publisher = await system.publisher();
    await publisher.publishBatch(numbered(0, 700));
    await publisher.close();
    epochs.push({ epoch: publisher.epoch, count: 700 });
    await system.settle();
    const [first, second, third] = epochs;
    for (const stream of STREAMS) {
      const rows = await system.db.rows<{ epoch: number; stored: number; distinct: number }>(
        `SELECT epoch, count() AS stored, uniqExact(raw) AS distinct
         FROM stg.raw WHERE _topic = '${stream}_events' AND epoch >= {epoch:UInt64} GROUP BY epoch ORDER BY epoch`,
        { epoch: first?.epoch },
      );
      const of = (epoch: number | undefined) => rows.find((row) => row.epoch === epoch);
      expect(of(first?.epoch)).toMatchObject({ stored: 3_000, distinct: 3_000 });
      expect(of(third?.epoch)).toMatchObject({ stored: 700, distinct: 700 });
      // The second reset has waited for all unread messages.
      expect(of(second?.epoch)).toMatchObject({ stored: 3_500, distinct: 3_500 });
      expect(rows.every(({ epoch }) => epochs.some((known) => known.epoch === epoch))).toBe(true);
    }
  });

  itLong(
    "keeps reading when the broker's address changes, and continues untouched when it does not",
    async () => {
      const members = async () => {
        const groups = await system.admin.describeGroups({ groups: [CONSUMER_GROUP] });
        return [...(groups.get(CONSUMER_GROUP)?.members.keys() ?? [])];
      };
      await waitFor("the group has a member", async () => (await members()).length > 0);
      const before = await members();
      await defineBroker(system.db, system.connection);
      expect(await members()).toEqual(before);
      await defineBroker(
        system.db,
        connectionTo(system.bootstrap.replace("127.0.0.1", "localhost")),
      );
      const { epoch } = await system.reset();
      const publisher = await system.publisher();
      await publisher.publishBatch(numbered(0, 10));
      await publisher.close();
      await system.settle();
      const [row] = await system.db.rows(
        "SELECT count() AS stored FROM stg.raw WHERE _topic = 'geo_events' AND epoch = {epoch:UInt64}",
        { epoch },
      );
      expect(row).toEqual({ stored: 10 });
      expect(await members()).not.toEqual(before);
    },
  );

  it("stores a redelivered message once", async () => {
    const { epoch } = await system.reset();
    const publisher = await system.publisher();
    for (const n of range(4)) await publisher.publishBatch(numbered(n * 500, 500));
    await publisher.close();
    await system.settle();
    await pauseConsumption(system.db, system.admin);
    await system.db.run("OPTIMIZE TABLE stg.raw FINAL");
    await system.admin.alterConsumerGroupOffsets({
      groupId: CONSUMER_GROUP,
      topics: [
        {
          name: "geo_events",
          partitionOffsets: range(4).map((partition) => ({ partition, offset: 0n })),
        },
      ],
    });
    await system.db.run("SYSTEM STOP MERGES stg.raw");
    await resumeConsumption(system.db);
    const inserted = async () => {
      const [row] = await system.db.rows<{ rows: number }>(
        `SELECT uniqExact(ingested_at, _partition, _offset) AS rows
         FROM stg.raw WHERE _topic = 'geo_events' AND epoch = {epoch:UInt64}`,
        { epoch },
      );
      return row?.rows ?? 0;
    };
    await waitFor("all are delivered again", async () => (await inserted()) === 4_000);
    const [row] = await system.db.rows(
      `SELECT count() AS stored, uniqExact(raw) AS distinct
       FROM stg.raw FINAL WHERE _topic = 'geo_events' AND epoch = {epoch:UInt64}`,
      { epoch },
    );
    await system.db.run("SYSTEM START MERGES stg.raw");
    expect(row).toEqual({ stored: 2_000, distinct: 2_000 });
  });
});
