import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Producer } from "@platformatic/kafka";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ingestMetrics } from "../../contract/metrics.ts";
import { STREAMS } from "../../contract/streams.ts";
import { CONSUMER_GROUP, EVENT_TOPICS } from "../../contract/topics.ts";
import { clientOptions } from "../../kafka/client.ts";
import { deleteGroup } from "../../kafka/consumer-groups.ts";
import { deleteTopics } from "../../kafka/topics.ts";
import type { Tier } from "../../warehouse/ddl-files.ts";
import { defineBroker } from "../../warehouse/epochs/named-collection.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { pipelineAsync } from "../support/cli.ts";
import { itLong } from "../support/long-cases.ts";
import { connectionTo } from "./connection.ts";
import { exactly, storedNumbers } from "./consumer.ts";
import { describeKafka, isStored, waitFor } from "./harness.ts";
import { IngestSystem, rawRowCount } from "./ingest-system.ts";
import { numbered } from "./messages.ts";
import { useSystem } from "./system.ts";

describeKafka("pipeline ingest", () => {
  const system = useSystem(new IngestSystem());
  beforeEach(() => system.reset({ clearsLayers: true }));
  afterEach(() => system?.stopProcesses());

  const publish = (from: number, count: number) => system.publish(numbered(from, count));
  const expectExactly = async (count: number) => {
    for (const stream of STREAMS) {
      expect(await storedNumbers(system.db, stream)).toEqual(exactly(count));
    }
  };

  it("divides the partitions between processes, and stores all", async () => {
    const services = [1, 2, 3].map(() => system.start());
    // With four partitions, three members have 2, 1 and 1.
    const shares = async () => {
      const sizes = services.map(({ output }) => lastShare(output, "geo_events"));
      return sizes.sort().join() === "1,1,2";
    };
    await waitFor("each process has partitions", shares);
    await publish(0, 20_000);
    await system.settle();
    await expectExactly(20_000);
  });

  it("stores what it has read, commits it and leaves its group on SIGTERM", async () => {
    const service = system.start({ INGEST_BATCH_MS: "60000" });
    await waitFor("the partitions are assigned", async () => assigned(service.output) === 4);
    await publish(0, 5_000);
    // More than the time until the broker's next answer.
    await sleep(5_000);
    expect(await rawRowCount(system.db)).toBe(0);
    expect(await service.stop()).toBe(0);
    await expectExactly(5_000);
    expect(await isStored(system.admin)).toBe(true);
    const groups = await system.admin.describeGroups({ groups: [CONSUMER_GROUP] });
    expect([...groups.values()].map(({ members }) => members.size)).toEqual([0]);
  });

  itLong(
    "needs no named collection, which `pipeline topics` creates for the Kafka engine",
    async () => {
      const collections = () => system.db.rows("SELECT name FROM system.named_collections");
      const topics = async (tier: Tier) => {
        const { status, stderr } = await pipelineAsync(["topics", "--tier", tier], {
          KAFKA_BOOTSTRAP_SERVERS: system.bootstrap,
          CLICKHOUSE_URL: system.url,
        });
        expect(status, stderr).toBe(0);
      };
      await topics("service");
      expect(await collections()).toEqual([]);
      await topics("broker");
      expect(await collections()).toEqual([{ name: "kafka" }]);
    },
  );

  it("stores what the Kafka engine stores, of valid and of strange messages", async () => {
    await publish(0, 2_000);
    await sendStrange(system.bootstrap);
    system.start();
    await system.settle();
    const ofService = await digest();
    await system.stopProcesses();

    await system.db.run("TRUNCATE TABLE stg.raw SYNC");
    await deleteGroup(system.admin, CONSUMER_GROUP);
    await defineBroker(system.db, system.connection);
    await applyDdl(system.db, "broker");
    await system.settle();
    expect(ofService).toEqual(await digest());
    expect(ofService[1]).toMatchObject({ stream: "location", rows: 2_000 + STRANGE_ROWS });
    await applyDdl(system.db, "service");
  });

  const digest = async () =>
    Promise.all(
      STREAMS.map(async (stream) => {
        const [row] = await system.db.rows<object>(
          `SELECT count() AS rows, toString(sum(cityHash64(epoch, _topic, _partition, _offset, _key, raw,
             ifNull(toString(emitted_at), 'none'), toString(_timestamp)))) AS hash
           FROM stg.raw WHERE _topic = '${stream}_events'`,
        );
        return { stream, ...row };
      }),
    );

  it("waits for a server that is away, and reports why", async () => {
    const service = system.start();
    await publish(0, 1_000);
    await system.settle();
    const restart = await system.stopDatabase();
    await publish(1_000, 1_000);
    await waitFor("the error is logged", async () => service.output.includes("cannot be reached"));
    const isRetried = async () => (await retriesOf(await service.port())) > 20;
    await waitFor("the service retries", isRetried);
    expect(service.output).not.toContain("working again");
    const health = await fetch(`http://127.0.0.1:${await service.port()}/healthz`);
    expect([health.status, await health.text()]).toEqual([503, expect.stringContaining("reached")]);
    await restart();
    await system.settle();
    await expectExactly(2_000);
    expect(service.output).toContain("working again");
    expect(service.isRunning).toBe(true);
  });

  itLong("waits for a broker that is killed", async () => {
    system.start();
    await publish(0, 1_000);
    await system.settle();
    await system.broker.kill9();
    await system.broker.restart();
    await publish(1_000, 1_000);
    await system.settle();
    await expectExactly(2_000);
  });

  it("goes on in the next epoch when the topics are re-created", async () => {
    system.start();
    await publish(0, 1_000);
    await system.settle();
    const { epoch } = await system.reset();
    await publish(1_000, 500);
    await system.settle();
    const rows = await system.db.rows(
      "SELECT epoch, count() AS rows FROM stg.raw WHERE _topic = 'geo_events' GROUP BY epoch ORDER BY epoch",
    );
    expect(rows).toMatchObject([{ rows: 1_000 }, { epoch, rows: 500 }]);
    for (const stream of STREAMS) {
      expect(await storedNumbers(system.db, stream)).toEqual(exactly(1_500));
    }
  });

  itLong("stores all of topics that somebody deletes and `pipeline topics` creates", async () => {
    system.start();
    await publish(0, 1_000);
    await system.settle();
    await deleteTopics(system.admin, EVENT_TOPICS);
    await ensureTopics(system.admin, { database: system.db });
    await publish(1_000, 2_000);
    await system.settle();
    await expectExactly(3_000);
  });

  it("serves its metrics and its health", async () => {
    const service = system.start();
    await publish(0, 1_000);
    await system.settle();
    const url = `http://127.0.0.1:${await service.port()}`;
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, ""]);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain(`${ingestMetrics.rows}{topic="geo_events"} 1000`);
    for (const name of Object.values(ingestMetrics)) expect(text).toContain(`# TYPE ${name} `);
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });
});

const assigned = (output: string): number => output.match(/"partitions":"0,1,2,3"/g)?.length ?? 0;

function lastShare(output: string, topic: string): number {
  const lines = output.split("\n").filter((line) => line.includes(`"${topic}","partitions"`));
  const share = (JSON.parse(lines.at(-1) ?? '{"partitions":""}') as { partitions: string })
    .partitions;
  return share === "" ? 0 : share.split(",").length;
}

async function retriesOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = [...text.matchAll(new RegExp(`^${ingestMetrics.retries} (\\d+)$`, "gm"))];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Rows that `sendStrange` causes: all values but those without content, and one transaction. */
const STRANGE_ROWS = 10;
/** Messages of an aborted transaction, of which the broker answers a part at a time. */
const ABORTED = 20;

async function sendStrange(bootstrap: string): Promise<void> {
  const producer = new Producer<Buffer, Buffer, string, string>({
    ...clientOptions(connectionTo(bootstrap), "foreign"),
    idempotent: true,
    transactionalId: "foreign",
    serializers: {
      headerKey: (text) => Buffer.from(text ?? ""),
      headerValue: (text) => Buffer.from(text ?? ""),
    },
  });
  const topic = "location_events";
  const send = (value: Buffer | string | null, headers: Record<string, string> = {}) =>
    producer.send({
      messages: [{ topic, key: Buffer.from("k"), value: value as Buffer, headers }].map(
        (message) => ({
          ...message,
          value: typeof value === "string" ? Buffer.from(value) : (value as Buffer),
        }),
      ),
    });
  for (const nothing of ["", null]) await send(nothing);
  const values = [
    '{"n":',
    "null",
    "\n\n\t\\N\0",
    Buffer.from([0xff, 0xfe, 0, 0xc3]),
    "x".repeat(1_000_000),
  ];
  for (const value of values) await send(value);
  await send("{}", { epoch: "none", emitted_at: "yesterday", trace: "x" });
  await send("{}", { epoch: "7", emitted_at: "2026-01-01 00:00:00.000001" });
  await send("{}", { epoch: "", emitted_at: "2026-01-01" });
  await producer.send({ messages: [{ topic, value: Buffer.from('{"without":"key"}') }] });
  for (const outcome of ["abort", "abort", "commit"] as const) {
    const transaction = await producer.beginTransaction({ producerId: -1n, producerEpoch: -1 });
    const size = outcome === "abort" ? 200_000 : 10;
    for (let n = outcome === "abort" ? 0 : ABORTED - 1; n < ABORTED; n += 1) {
      await transaction.send({ messages: [{ topic, partition: 0, value: randomBytes(size) }] });
    }
    await transaction[outcome]();
  }
  for (const nothing of [null, ""]) await send(nothing);
  await producer.close();
}
