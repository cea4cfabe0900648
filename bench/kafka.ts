import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { statementOf, totalOf } from "../contract/statement.ts";
import { STREAMS } from "../contract/streams.ts";
import { DAY, isoMicros, parseMicros } from "../contract/time.ts";
import { parseConfig } from "../generator/config.ts";
import { loadDonors } from "../generator/dataset/donors.ts";
import { openDataset } from "../generator/dataset/format.ts";
import { readBatches } from "../generator/dataset/reader.ts";
import { writeDataset } from "../generator/dataset/write.ts";
import { readInstance } from "../generator/operations/instance.ts";
import { openBroker } from "../kafka/client.ts";
import { javaArguments, TestBroker } from "../test/kafka/broker.ts";
import { connectionTo } from "../test/kafka/connection.ts";
import { GeneratorProcess } from "../test/kafka/generator.ts";
import { ensureTopics, resetTopics } from "../warehouse/epochs/topics.ts";
import { loadIntoKafka } from "../warehouse/loader/kafka.ts";
import { memoryOf } from "./measure.ts";
import type { BenchRow } from "./verdict.ts";

const DAYS = 14;
const MEMORY_DAYS = 30;
const ROUNDS = 3;
const T0 = parseMicros("2026-01-01T00:00:00Z");
/** Number of messages from which Kafka's producer selects. */
const PAYLOADS = 50_000;

/**
 * Compares backfill and load into a local broker with Kafka's producer at equal record size and
 * acks; best of alternating rounds. Has the requirements of the `kafka` test level.
 */
export async function benchKafka(): Promise<BenchRow[]> {
  const broker = await TestBroker.start();
  const admin = await openBroker(connectionTo(broker.bootstrap), "bench");
  try {
    await ensureTopics(admin, { database: null });
    return [...(await throughput(broker, admin)), await memory(broker, admin)];
  } finally {
    await admin.close();
    await broker.stop();
  }
}

async function throughput(broker: TestBroker, admin: Admin): Promise<BenchRow[]> {
  const best = { backfill: 0, load: 0, reference: 0 };
  const directory = join(tmpdir(), `bench-dataset-${process.pid}`);
  const dataset = await makeDataset(directory);
  const payloads = await writePayloads(dataset);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      best.backfill = Math.max(best.backfill, await timeBackfill(broker, admin));
      best.reference = Math.max(best.reference, await timeReference(broker, admin, payloads));
      best.load = Math.max(best.load, await timeLoad(broker, admin, dataset));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
    rmSync(payloads, { force: true });
  }
  const row = (name: "backfill" | "load"): BenchRow => ({
    name: `${name} of ${DAYS} model days into Kafka, compared with Kafka's producer`,
    value: Math.round(best[name]),
    unit: "messages/s",
    reference: Math.round(best.reference),
    ratio: Math.round((best[name] / best.reference) * 100) / 100,
    atLeast: 0.6,
  });
  return [row("backfill"), row("load")];
}

async function makeDataset(directory: string): Promise<string> {
  const config = parseConfig({ ...settings(DAYS), GEN_DATA_DIR: "/nonexistent" });
  await writeDataset(directory, config, await loadDonors(config));
  return directory;
}

async function writePayloads(directory: string): Promise<string> {
  const lines: string[] = [];
  for await (const batch of readBatches(await openDataset(directory))) {
    for (const stream of STREAMS) for (const line of batch[stream].values) lines.push(line);
    if (lines.length >= PAYLOADS) break;
  }
  const file = `${directory}.payloads`;
  writeFileSync(file, lines.join("\n"));
  return file;
}

/** Measures a backfill by the service's log, which excludes the start of Node. */
async function timeBackfill(broker: TestBroker, admin: Admin): Promise<number> {
  await resetTopics(admin, { database: null, scope: "all" });
  const generator = new GeneratorProcess(broker.bootstrap, settings(DAYS));
  if ((await generator.exit()) !== 0) throw new Error(generator.output);
  const lines = generator.output.trim().split("\n").map(parseLine);
  const at = (message: string) => lines.find(({ msg }) => msg === message)?.at ?? Number.NaN;
  const seconds = (at("backfill completed") - at("step backfill")) / 1000;
  const { manifest } = await readInstance(admin, { instance: "test" });
  if (!manifest) throw new Error("The backfill has written no manifest");
  return totalOf(statementOf(manifest)) / seconds;
}

function parseLine(line: string): { msg: string; at: number } {
  const { msg, time } = JSON.parse(line) as { msg: string; time: string };
  return { msg, at: Date.parse(time) };
}

async function timeLoad(broker: TestBroker, admin: Admin, directory: string): Promise<number> {
  await resetTopics(admin, { database: null, scope: "all" });
  const dataset = await openDataset(directory);
  const connection = connectionTo(broker.bootstrap);
  // `seconds` excludes the check of the written messages.
  const { statement, seconds } = await loadIntoKafka(dataset, {
    connection,
    admin,
    database: null,
    limit: 0,
    reset: false,
    force: false,
  });
  return totalOf(statement) / seconds;
}

/** Measures Kafka's producer with its defaults and acks=all, which sends no keys or headers and computes nothing. */
async function timeReference(broker: TestBroker, admin: Admin, payloads: string): Promise<number> {
  const topic = "bench_reference";
  if (!(await admin.listTopics()).includes(topic)) {
    await admin.createTopics({ topics: [topic], partitions: 4, replicas: 1 });
    await sleep(1_000);
  }
  const tool = [
    "org.apache.kafka.tools.ProducerPerformance",
    ...["--topic", topic, "--num-records", "1500000", "--payload-file", payloads],
    ...["--throughput", "-1", "--producer-props", `bootstrap.servers=${broker.bootstrap}`],
    "acks=all",
  ];
  const { status, stdout, stderr } = spawnSync(
    "java",
    [...javaArguments(broker.directory), ...tool],
    { encoding: "utf8" },
  );
  const rates = [...stdout.matchAll(/([\d.]+) records\/sec/g)].map(([, rate]) => Number(rate));
  if (status !== 0 || rates.length === 0) throw new Error(`ProducerPerformance failed: ${stderr}`);
  return rates.at(-1) ?? Number.NaN;
}

/** Settings of a backfill of some model days. */
const settings = (days: number) => ({
  GEN_RUN_MODE: "backfill",
  GEN_MODEL_T_END: isoMicros(T0 + days * DAY),
  GEN_MAX_BACKFILL_EVENTS: String(days * 50_000),
});

/** Measures the peak memory of a generator during a backfill. */
async function memory(broker: TestBroker, admin: Admin): Promise<BenchRow> {
  return {
    name: `memory of a backfill of ${MEMORY_DAYS} model days`,
    value: Math.round(await peakMiB(broker, admin)),
    unit: "MiB",
    atMost: 512,
  };
}

async function peakMiB(broker: TestBroker, admin: Admin): Promise<number> {
  await resetTopics(admin, { database: null, scope: "all" });
  const generator = new GeneratorProcess(broker.bootstrap, settings(MEMORY_DAYS));
  let peak = 0;
  while (generator.isRunning) {
    peak = Math.max(peak, await memoryOf(generator.pid ?? 0));
    await Promise.race([sleep(200), generator.exit()]);
  }
  if (generator.exitCode !== 0) throw new Error(generator.output);
  return peak;
}

if (import.meta.main) console.table(await benchKafka());
