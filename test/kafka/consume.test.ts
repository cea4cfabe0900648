import { Producer } from "@platformatic/kafka";
import { expect, it } from "vitest";
import { STREAMS } from "../../contract/streams.ts";
import { clientOptions } from "../../kafka/client.ts";
import { connectionTo } from "./connection.ts";
import { exactly, openConsumer, storedNumbers } from "./consumer.ts";
import { describeKafka, isStored, range } from "./harness.ts";
import { numbered } from "./messages.ts";
import { KafkaSystem, useSystem } from "./system.ts";

describeKafka("the Kafka engine", () => {
  const system = useSystem(new KafkaSystem({ database: openConsumer }));

  it("stores exactly the published messages, with epoch and emission time", async () => {
    const publisher = await system.publisher();
    await publisher.publishBatch(numbered(0, 1_000));
    await system.settle();
    await publisher.publishBatch(numbered(1_000, 1_000));
    await system.settle();
    await publisher.close();
    for (const stream of STREAMS)
      expect(await storedNumbers(system.db, stream)).toEqual(exactly(2_000));
    const [row] = await system.db.rows(
      `SELECT epoch, _topic, _key, raw, toString(emitted_at) AS emitted_at,
              abs(dateDiff('second', _timestamp, ingested_at)) < 600 AS is_wall_time
       FROM stg.raw WHERE _topic = 'geo_events' AND raw = '{"n":1234}'`,
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

  it("counts nothing as unread although transaction markers take offsets", async () => {
    expect(await isStored(system.admin)).toBe(true);
    const [end] =
      (
        await system.admin.listOffsets({
          topics: [{ name: "geo_events", partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
        })
      )[0]?.partitions ?? [];
    const [row] = await system.db.rows<{ last: number }>(
      "SELECT max(_offset) AS last FROM stg.raw WHERE _topic = 'geo_events' AND _partition = 0",
    );
    expect(Number(end?.offset)).toBeGreaterThan((row?.last ?? 0) + 1);
  });

  it("gives messages without a header the current epoch, and ignores foreign headers", async () => {
    const { epoch } = await system.reset();
    const producer = foreign(system.bootstrap);
    const send = (n: number, headers: Record<string, string>) =>
      producer.send({
        messages: [{ topic: "browser_events", value: Buffer.from(`{"n":${n}}`), headers }],
      });
    await send(0, {});
    await send(1, { epoch: "none", emitted_at: "yesterday", trace: "x" });
    await send(2, { epoch: "7", emitted_at: "2026-01-01 00:00:00.000001" });
    await producer.close();
    await system.settle();
    const rows = await system.db.rows(
      `SELECT JSONExtractUInt(raw, 'n') AS n, epoch, toString(emitted_at) AS emitted_at
       FROM stg.raw WHERE _topic = 'browser_events' AND epoch IN (7, {epoch:UInt64}) ORDER BY n`,
      { epoch },
    );
    expect(rows).toEqual([
      { n: 0, epoch, emitted_at: null },
      { n: 1, epoch, emitted_at: null },
      { n: 2, epoch: 7, emitted_at: "2026-01-01 00:00:00.000001" },
    ]);
  });

  it("is never blocked by the content of a message", async () => {
    await system.reset();
    const poison = [
      Buffer.from('{"n":'),
      Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]),
      Buffer.alloc(1024 * 1024, "x"),
      Buffer.from("\n\n\t\\N\0"),
      Buffer.from("null"),
      Buffer.from('{"n":1}'),
    ];
    const producer = foreign(system.bootstrap);
    const send = (value: Buffer) =>
      producer.send({ messages: [{ topic: "device_events", value, key: Buffer.from("k") }] });
    // Two messages without a row, first and last: an empty one and a tombstone.
    const nothing = [Buffer.from(""), null as unknown as Buffer];
    for (const value of [...nothing, ...poison, ...nothing]) await send(value);
    await producer.close();
    await system.settle();
    const rows = await system.db.rows<{ hex: string }>(
      `SELECT hex(raw) AS hex FROM stg.raw
       WHERE _topic = 'device_events' AND epoch = (SELECT max(epoch) FROM stg.epoch) ORDER BY _partition, _offset`,
    );
    expect(rows.map(({ hex }) => hex)).toEqual(
      poison.map((value) => value.toString("hex").toUpperCase()),
    );
  });

  it("skips an aborted transaction and reads on", async () => {
    await system.reset();
    const producer = foreign(system.bootstrap);
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
    await system.settle();
    const rows = await system.db.rows<{ n: number }>(
      `SELECT JSONExtractUInt(raw, 'n') AS n FROM stg.raw FINAL
       WHERE _topic = 'geo_events' AND epoch = (SELECT max(epoch) FROM stg.epoch) ORDER BY _offset`,
    );
    expect(rows.map(({ n }) => n)).toEqual([0, 100, 2, 102, 4, 104]);
  });
});

/** A third-party producer, which sets no epoch header. */
const foreign = (bootstrap: string) =>
  new Producer<Buffer, Buffer, string, string>({
    ...clientOptions(connectionTo(bootstrap), "foreign"),
    idempotent: true,
    transactionalId: "foreign",
    serializers: {
      headerKey: (text) => Buffer.from(text ?? ""),
      headerValue: (text) => Buffer.from(text ?? ""),
    },
  });
