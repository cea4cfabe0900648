import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Admin, Producer } from "@platformatic/kafka";
import { afterAll, beforeAll, expect, it } from "vitest";
import { emptyBatch } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import type { EmbeddedEngine } from "../../embedded/engine.ts";
import { KafkaPublisher } from "../../generator/adapters/kafka.ts";
import { clientOptions, openBroker } from "../../generator/adapters/kafka-client.ts";
import { defineBroker } from "../../pipeline/broker/collection.ts";
import {
  attachedQueues,
  detachedQueues,
  pauseConsumption,
  resumeConsumption,
} from "../../pipeline/broker/consumption.ts";
import { ensureTopics, resetTopics } from "../../pipeline/broker/manage.ts";
import { unreadTopics, untilRead } from "../../pipeline/broker/unread.ts";
import { TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";
import { exactly, openConsumer, storedNumbers } from "./consumer.ts";
import { describeKafka, range, until } from "./harness.ts";
import { numbered } from "./messages.ts";

describeKafka("the Kafka engine", () => {
  let broker: TestBroker;
  let admin: Admin;
  let db: EmbeddedEngine;
  const directory = mkdtempSync(join(tmpdir(), "test-engine-"));

  const openPublisher = (stand = "test") =>
    KafkaPublisher.open({ connection: connectionTo(broker.bootstrap), stand });
  const settle = () => until("all messages are stored", () => untilRead(admin, 1_000), 90_000);
  const reset = () => resetTopics(admin, { database: db });
  const foreign = () =>
    new Producer<Buffer, Buffer, string, string>({
      ...clientOptions(connectionTo(broker.bootstrap), "foreign"),
      idempotent: true,
      transactionalId: "foreign",
      serializers: {
        headerKey: (text) => Buffer.from(text ?? ""),
        headerValue: (text) => Buffer.from(text ?? ""),
      },
    });

  beforeAll(async () => {
    broker = await TestBroker.start();
    const connection = connectionTo(broker.bootstrap);
    admin = await openBroker(connection, "test");
    await ensureTopics(admin, { database: null });
    db = await openConsumer(directory, connection);
    await ensureTopics(admin, { database: db });
  });
  afterAll(async () => {
    await db?.close();
    await admin?.close();
    await broker?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it("stores exactly what was published, with epoch and time of emission, within 10 s", async () => {
    const publisher = await openPublisher();
    await publisher.publishBatch(numbered(0, 1_000));
    await settle();
    const start = Date.now();
    await publisher.publishBatch(numbered(1_000, 1_000));
    await settle();
    expect(Date.now() - start).toBeLessThan(10_000);
    await publisher.close();
    for (const stream of STREAMS) expect(await storedNumbers(db, stream)).toEqual(exactly(2_000));
    const [row] = await db.rows(
      `SELECT epoch, _topic, _key, raw, toString(emitted_at) AS emitted_at,
              abs(dateDiff('second', _timestamp, ingested_at)) < 60 AS is_wall_time
       FROM stg.geo_raw WHERE raw = '{"n":1234}'`,
    );
    expect(row).toEqual({
      epoch: publisher.epoch,
      _topic: "geo_events",
      _key: "click-70",
      raw: '{"n":1234}',
      emitted_at: "2026-01-01 00:00:00.001234",
      is_wall_time: 1,
    });
  });

  it("counts nothing as unread although the ends of transactions take offsets", async () => {
    expect(await unreadTopics(admin)).toEqual([]);
    const [end] =
      (
        await admin.listOffsets({
          topics: [{ name: "geo_events", partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
        })
      )[0]?.partitions ?? [];
    const [row] = await db.rows<{ last: number }>(
      "SELECT max(_offset) AS last FROM stg.geo_raw WHERE _partition = 0",
    );
    expect(Number(end?.offset)).toBeGreaterThan((row?.last ?? 0) + 1);
  });

  it("gives messages without a header the current epoch, and keeps foreign headers out", async () => {
    const { epoch } = await reset();
    const producer = foreign();
    const send = (n: number, headers: Record<string, string>) =>
      producer.send({
        messages: [{ topic: "browser_events", value: Buffer.from(`{"n":${n}}`), headers }],
      });
    await send(0, {});
    await send(1, { epoch: "none", emitted_at: "yesterday", trace: "x" });
    await send(2, { epoch: "7", emitted_at: "2026-01-01 00:00:00.000001" });
    await producer.close();
    await settle();
    const rows = await db.rows(
      `SELECT JSONExtractUInt(raw, 'n') AS n, epoch, toString(emitted_at) AS emitted_at
       FROM stg.browser_raw WHERE epoch IN (7, {epoch:UInt64}) ORDER BY n`,
      { epoch },
    );
    expect(rows).toEqual([
      { n: 0, epoch, emitted_at: null },
      { n: 1, epoch, emitted_at: null },
      { n: 2, epoch: 7, emitted_at: "2026-01-01 00:00:00.000001" },
    ]);
  });

  it("is never blocked by what a message holds", async () => {
    await reset();
    const poison = [
      Buffer.from('{"n":'),
      Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]),
      Buffer.alloc(1024 * 1024, "x"),
      Buffer.from("\n\n\t\\N\0"),
      Buffer.from("null"),
      Buffer.from('{"n":1}'),
    ];
    const producer = foreign();
    const send = (value: Buffer) =>
      producer.send({ messages: [{ topic: "device_events", value, key: Buffer.from("k") }] });
    // Two messages that become no row: an empty one and a tombstone; each stands first and last.
    const nothing = [Buffer.from(""), null as unknown as Buffer];
    for (const value of [...nothing, ...poison, ...nothing]) await send(value);
    await producer.close();
    await settle();
    const rows = await db.rows<{ hex: string }>(
      `SELECT hex(raw) AS hex FROM stg.device_raw
       WHERE epoch = (SELECT max(epoch) FROM stg.epoch) ORDER BY _partition, _offset`,
    );
    expect(rows.map(({ hex }) => hex)).toEqual(
      poison.map((value) => value.toString("hex").toUpperCase()),
    );
  });

  it("never sees an aborted transaction, and reads past it", async () => {
    await reset();
    const producer = foreign();
    const message = (n: number) => ({
      topic: "geo_events",
      key: Buffer.from("same"),
      value: Buffer.from(`{"n":${n}}`),
    });
    for (const n of range(6)) {
      const transaction = await producer.beginTransaction({ producerId: -1n, producerEpoch: -1 });
      await transaction.send({ messages: [message(n), message(n + 100)] });
      await (n % 2 === 0 ? transaction.commit() : transaction.abort());
    }
    await producer.close();
    await settle();
    const rows = await db.rows<{ n: number }>(
      `SELECT JSONExtractUInt(raw, 'n') AS n FROM stg.geo_raw FINAL
       WHERE epoch = (SELECT max(epoch) FROM stg.epoch) ORDER BY _offset`,
    );
    expect(rows.map(({ n }) => n)).toEqual([0, 100, 2, 102, 4, 104]);
  });

  it("skips and doubles nothing over two resets in a row while messages keep coming", async () => {
    await reset();
    const epochs: { epoch: number; count: number }[] = [];
    for (const round of range(2)) {
      const publisher = await openPublisher();
      const count = 3_000 + round * 500;
      for (const n of range(count / 500)) await publisher.publishBatch(numbered(n * 500, 500));
      await publisher.close();
      epochs.push({ epoch: publisher.epoch, count });
      if (round === 0) await settle();
      // The second reset comes while blocks of the second epoch are being read.
      await reset();
    }
    const publisher = await openPublisher();
    await publisher.publishBatch(numbered(0, 700));
    await publisher.close();
    epochs.push({ epoch: publisher.epoch, count: 700 });
    await settle();
    const [first, second, third] = epochs;
    for (const stream of STREAMS) {
      const rows = await db.rows<{ epoch: number; stored: number; distinct: number }>(
        `SELECT epoch, count() AS stored, uniqExact(raw) AS distinct
         FROM stg.${stream}_raw WHERE epoch >= {epoch:UInt64} GROUP BY epoch ORDER BY epoch`,
        { epoch: first?.epoch },
      );
      const of = (epoch: number | undefined) => rows.find((row) => row.epoch === epoch);
      expect(of(first?.epoch)).toMatchObject({ stored: 3_000, distinct: 3_000 });
      expect(of(third?.epoch)).toMatchObject({ stored: 700, distinct: 700 });
      // What was not read of the second epoch went with its topics; what was read is whole.
      const interrupted = of(second?.epoch);
      expect(interrupted?.stored ?? 0).toBe(interrupted?.distinct ?? 0);
      expect(rows.every(({ epoch }) => epochs.some((known) => known.epoch === epoch))).toBe(true);
    }
  });

  it("keeps reading when the broker's address changes, and untouched when it does not", async () => {
    const members = async () => {
      const groups = await admin.describeGroups({ groups: ["stg_geo"] });
      return [...(groups.get("stg_geo")?.members.keys() ?? [])];
    };
    await until("the group has a member", async () => (await members()).length === 1);
    const before = await members();
    await defineBroker(db, connectionTo(broker.bootstrap));
    expect(await members()).toEqual(before);
    await defineBroker(db, connectionTo(broker.bootstrap.replace("127.0.0.1", "localhost")));
    const { epoch } = await reset();
    const publisher = await openPublisher();
    await publisher.publishBatch(numbered(0, 10));
    await publisher.close();
    await settle();
    const [row] = await db.rows(
      "SELECT count() AS stored FROM stg.geo_raw WHERE epoch = {epoch:UInt64}",
      { epoch },
    );
    expect(row).toEqual({ stored: 10 });
    expect(await members()).not.toEqual(before);
  });

  it("stores a message once that is delivered twice", async () => {
    const { epoch } = await reset();
    const publisher = await openPublisher();
    for (const n of range(4)) await publisher.publishBatch(numbered(n * 500, 500));
    await publisher.close();
    await settle();
    await pauseConsumption(db, admin);
    await db.run("OPTIMIZE TABLE stg.geo_raw FINAL");
    await admin.alterConsumerGroupOffsets({
      groupId: "stg_geo",
      topics: [
        {
          name: "geo_events",
          partitionOffsets: range(4).map((partition) => ({ partition, offset: 0n })),
        },
      ],
    });
    await resumeConsumption(db, STREAMS);
    const inserted = async () => {
      const [row] = await db.rows<{ rows: number }>(
        `SELECT uniqExact(ingested_at, _partition, _offset) AS rows
         FROM stg.geo_raw WHERE epoch = {epoch:UInt64}`,
        { epoch },
      );
      return row?.rows ?? 0;
    };
    await db.run("SYSTEM STOP MERGES stg.geo_raw");
    await until("all are delivered again", async () => (await inserted()) === 4_000);
    const [row] = await db.rows(
      `SELECT count() AS stored, uniqExact(raw) AS distinct
       FROM stg.geo_raw FINAL WHERE epoch = {epoch:UInt64}`,
      { epoch },
    );
    await db.run("SYSTEM START MERGES stg.geo_raw");
    expect(row).toEqual({ stored: 2_000, distinct: 2_000 });
  });

  it("reads on when a reset was cut off after it had paused the reading", async () => {
    await reset();
    await pauseConsumption(db, admin);
    expect(await detachedQueues(db)).toEqual(STREAMS);
    await ensureTopics(admin, { database: db });
    expect(await attachedQueues(db)).toEqual(STREAMS);
    expect(await detachedQueues(db)).toEqual([]);
    const publisher = await openPublisher();
    await publisher.publishBatch({ ...emptyBatch(), browser: numbered(0, 20).browser });
    await publisher.close();
    await settle();
    const [row] = await db.rows(
      "SELECT count() AS stored FROM stg.browser_raw WHERE epoch = {epoch:UInt64}",
      { epoch: publisher.epoch },
    );
    expect(row).toEqual({ stored: 20 });
  });
});
