/**
 * Compares the publisher's throughput with Kafka's own ProducerPerformance on one broker, in turns:
 * `node test/kafka/bench.ts [RECORDS] [ROUNDS]`. Both send the same 330-byte payloads with
 * acks=all. Ours are transactions of one batch with its state (awaited) or of several batches
 * (ahead).
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import type { MessageBatch } from "../../contract/ports.ts";
import { DEFAULT_SIZING, EVENT_TOPICS } from "../../contract/topics.ts";
import { openBroker } from "../../kafka/client.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { ensureTopics } from "../../warehouse/epochs/topics.ts";
import { javaArguments, TestBroker } from "./broker.ts";
import { connectionTo } from "./connection.ts";

const BYTES = 330;
const records = Number(process.argv[2] ?? 600_000);
const rounds = Number(process.argv[3] ?? 3);

const payloads = Array.from({ length: 20_000 }, (_, n) => {
  const event = {
    event_id: randomUUID(),
    event_timestamp: `2026-01-01 00:${String(n % 60).padStart(2, "0")}:00.${n}`,
    event_type: "pageview",
    click_id: randomUUID(),
    browser_name: "Chrome",
    browser_user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0",
    browser_language: "",
  };
  return JSON.stringify({
    ...event,
    browser_language: "e".repeat(BYTES - JSON.stringify(event).length),
  });
});

// Uses all compilers, as a deployed broker does.
const broker = await TestBroker.start({}, { jvm: [] });
const admin = await openBroker(connectionTo(broker.bootstrap), "bench");
try {
  await ensureTopics(admin, { database: null });
  await admin.createTopics({
    topics: ["yardstick"],
    partitions: DEFAULT_SIZING.partitions,
    replicas: 1,
  });
  writeFileSync(join(broker.directory, "payloads"), payloads.join("\n"));
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`round ${round}`);
    for (const compression of ["none", "zstd"]) {
      console.log(`  ProducerPerformance ${compression}: ${yardstick(compression)} records/s`);
    }
    console.log(`  batches of 4,000, ahead: ${await publish(1_000, "ahead")} records/s`);
    console.log(`  batches of 4,000, awaited: ${await publish(1_000, "awaited")} records/s`);
    console.log(`  batches of 20,000, awaited: ${await publish(5_000, "awaited")} records/s`);
    await shrink(admin);
  }
} finally {
  await admin.close();
  await broker.stop();
}

function yardstick(compression: string): string {
  const { stdout, stderr } = spawnSync(
    "java",
    [
      ...javaArguments(broker.directory),
      "org.apache.kafka.tools.ProducerPerformance",
      ...["--topic", "yardstick", "--num-records", String(records), "--throughput", "-1"],
      ...["--payload-file", join(broker.directory, "payloads")],
      ...["--producer-props", `bootstrap.servers=${broker.bootstrap}`, "acks=all"],
      `compression.type=${compression}`,
    ],
    { encoding: "utf8" },
  );
  const rate = stdout.match(/([\d.]+) records\/sec/g)?.at(-1);
  if (!rate) throw new Error(`ProducerPerformance failed: ${stdout}${stderr}`);
  return Math.round(Number.parseFloat(rate)).toLocaleString("en");
}

/**
 * Publishes batches of `perTopic` messages in each of the four topics. `ahead` encodes the next
 * batches during a commit, so that they share a transaction; `awaited` commits one batch after
 * another.
 */
async function publish(perTopic: number, pace: "ahead" | "awaited"): Promise<string> {
  const publisher = await KafkaPublisher.open({
    connection: connectionTo(broker.bootstrap),
    instance: "bench",
  });
  const state = { visits: payloads.slice(0, 150) };
  const start = performance.now();
  let sent = 0;
  const committed: Promise<void>[] = [];
  while (sent < records) {
    await publisher.hasRoom();
    const publishing = publisher.publishBatch(makeBatch(perTopic, sent), { state });
    if (pace === "awaited") await publishing;
    else committed.push(publishing);
    sent += perTopic * EVENT_TOPICS.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(committed);
  const seconds = (performance.now() - start) / 1000;
  await publisher.close();
  return Math.round(sent / seconds).toLocaleString("en");
}

function makeBatch(perTopic: number, from: number): MessageBatch {
  const stream = () => {
    const values = Array.from({ length: perTopic }, (_, n) => payloads[(from + n) % 20_000] ?? "");
    return {
      keys: values.map((value) => value.slice(13, 49)),
      values,
      emittedAt: values.map((_, n) => 1_767_225_600_000_000 + n),
    };
  };
  return { browser: stream(), location: stream(), device: stream(), geo: stream() };
}

/** Keeps disk use small between rounds. */
async function shrink(client: Admin): Promise<void> {
  const topics = [...EVENT_TOPICS, "yardstick"].map((name) => ({
    name,
    partitions: Array.from({ length: DEFAULT_SIZING.partitions }, (_, partition) => ({
      partition,
      offset: -1n,
    })),
  }));
  await client.deleteRecords({ topics });
}
