/**
 * Measures the hops through Kafka: the generator's service publishes a history to one broker, then
 * the Kafka engine stores it in stg. Needs Linux and what the test level kafka needs.
 * node bench/scale/kafka-run.ts [DAYS] [DAYS]
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { statementOf } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import { readInstance } from "../../generator/operations/instance.ts";
import { connectionTo } from "../../test/kafka/connection.ts";
import { GeneratorProcess } from "../../test/kafka/generator.ts";
import { IngestSystem, rawRowCount } from "../../test/kafka/ingest-system.ts";
import { defineBroker } from "../../warehouse/ingest/named-collection.ts";
import { totalOf } from "../../warehouse/loader/load.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { settings } from "../kafka-settings.ts";
import { cpuSeconds, ownCpuSeconds, peakMiB } from "../process.ts";
import type { KafkaRun } from "./measurement.ts";
import { referenceSeconds } from "./reference.ts";

const POLL_MS = 100;

async function measure(system: IngestSystem, days: number): Promise<KafkaRun> {
  await applyDdl(system.db, "service");
  await system.reset();
  for (const stream of STREAMS) await system.db.run(`TRUNCATE TABLE stg.${stream}_raw SYNC`);
  const references = await repeatedReference(system.db);
  const brokerBefore = cpuSeconds(system.broker.pid);
  const generator = await publish(system, days);
  const brokerCpuSeconds = cpuSeconds(system.broker.pid) - brokerBefore;
  const messages = await messagesIn(system);
  const bytes = folderBytes(join(system.broker.directory, "data"));
  references.push(...(await repeatedReference(system.db)));
  const { brokerReadCpuSeconds, readerCpuSeconds } = await read(system, messages);
  references.push(...(await repeatedReference(system.db)));
  return {
    messages,
    ...generator,
    brokerCpuSeconds,
    brokerReadCpuSeconds,
    readerCpuSeconds,
    brokerMiB: peakMiB(system.broker.pid),
    referenceSeconds: Math.min(...references),
    bytes,
  };
}

/** Repeats the fixed work, because a run through Kafka is short and its fastest moment counts. */
async function repeatedReference(db: IngestSystem["db"]): Promise<number[]> {
  const seconds: number[] = [];
  for (let repeat = 0; repeat < 10; repeat += 1) seconds.push(await referenceSeconds(db));
  return seconds;
}

async function publish(system: IngestSystem, days: number) {
  const generator = new GeneratorProcess(system.broker.bootstrap, {
    ...settings(days),
    GEN_BEHAVIOUR: "shop",
  });
  let [generatorCpuSeconds, generatorMiB] = [0, 0];
  while (!generator.hasExited) {
    generatorCpuSeconds = cpuSeconds(generator.child.pid) || generatorCpuSeconds;
    generatorMiB = peakMiB(generator.child.pid) || generatorMiB;
    await sleep(POLL_MS);
  }
  if (generator.child.exitCode !== 0) throw new Error(generator.output);
  return { generatorCpuSeconds, generatorMiB };
}

/** The reader's processor time is this process's, which contains the engine and does nothing else. */
async function read(system: IngestSystem, messages: number) {
  await defineBroker(system.db, connectionTo(system.broker.bootstrap));
  const brokerBefore = cpuSeconds(system.broker.pid);
  const before = ownCpuSeconds();
  await applyDdl(system.db, "broker");
  for (let rows = 0; rows < messages; rows = await rawRowCount(system.db)) await sleep(1_000);
  return {
    readerCpuSeconds: ownCpuSeconds() - before,
    brokerReadCpuSeconds: cpuSeconds(system.broker.pid) - brokerBefore,
  };
}

async function messagesIn({ admin }: IngestSystem): Promise<number> {
  const { manifest } = await readInstance(admin, { instance: "test" });
  if (!manifest) throw new Error("The backfill has written no manifest");
  return totalOf(statementOf(manifest));
}

/** Bytes of message logs, without index files, which have a fixed size, and deleted topics, which stay for a minute. */
const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".log") && /_events-\d+\//.test(name))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

if (import.meta.main) {
  const system = await IngestSystem.open();
  try {
    const runs: KafkaRun[] = [];
    const days = process.argv.slice(2).map(Number);
    for (const each of days.length > 0 ? days : [30, 90]) runs.push(await measure(system, each));
    console.log(`MEASURED ${JSON.stringify(runs)}`);
  } finally {
    await system.close();
  }
}
