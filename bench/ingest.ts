/**
 * Compares `pipeline ingest` with the Kafka engine: the same topics, engine and broker, in turns.
 * Has the requirements of the `kafka` test level: `node bench/ingest.ts [--days 7] [--rounds 3]`.
 */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { STREAMS } from "../contract/streams.ts";
import { CONSUMER_GROUPS } from "../contract/topics.ts";
import { parseConfig } from "../generator/config.ts";
import { loadDonors } from "../generator/dataset/donors.ts";
import { openDataset } from "../generator/dataset/format.ts";
import { writeDataset } from "../generator/dataset/write.ts";
import { deleteGroups } from "../kafka/consumer-groups.ts";
import { connectionTo } from "../test/kafka/connection.ts";
import { IngestSystem, rawRowCount } from "../test/kafka/ingest-system.ts";
import { defineBroker } from "../warehouse/ingest/named-collection.ts";
import { loadIntoKafka } from "../warehouse/loader/kafka.ts";
import { totalOf } from "../warehouse/loader/load.ts";
import { applyDdl } from "../warehouse/schema/ddl.ts";
import { settings } from "./kafka-settings.ts";
import { peakMiB } from "./process.ts";
import { report } from "./verdict.ts";

const POLL_MS = 50;

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "14" },
    rounds: { type: "string", default: "3" },
  },
});

const system = await IngestSystem.open();
try {
  const messages = await load(Number(values.days));
  const best = { engine: 0, service: 0 };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    best.engine = Math.max(best.engine, messages / (await timeEngine(messages)));
    best.service = Math.max(best.service, messages / (await timeService(messages)));
  }
  const row = {
    name: `${messages} messages of 4 topics into stg, compared with the Kafka engine`,
    value: Math.round(best.service),
    unit: "messages/s",
    reference: Math.round(best.engine),
    ratio: Math.round((best.service / best.engine) * 100) / 100,
    atLeast: 0.7,
  };
  report([row], { value: "service", reference: "engine", unit: "unit", ratio: "ratio" });
} finally {
  await system.close();
}

async function load(days: number): Promise<number> {
  const directory = join(tmpdir(), `bench-dataset-${process.pid}`);
  try {
    const config = parseConfig({ ...settings(days), GEN_DATA_DIR: "/nonexistent" });
    await writeDataset(directory, config, await loadDonors(config));
    const { statement } = await loadIntoKafka(await openDataset(directory), {
      connection: connectionTo(system.broker.bootstrap),
      admin: system.admin,
      database: null,
      ...{ limit: 0, reset: false, force: false },
    });
    return totalOf(statement);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Measures from the creation of the queues. */
async function timeEngine(messages: number): Promise<number> {
  await clear();
  await defineBroker(system.db, connectionTo(system.broker.bootstrap));
  const start = performance.now();
  await applyDdl(system.db, "broker");
  const seconds = await waitForRows(messages, start);
  await applyDdl(system.db, "service");
  return seconds;
}

/** Measures from the moment at which the process listens: a queue does not start Node either. */
async function timeService(messages: number): Promise<number> {
  await clear();
  const service = system.start({ INGEST_BATCH_MS: "3000" });
  await service.port();
  const seconds = await waitForRows(messages, performance.now());
  console.error(`peak memory of the service: ${peakMiB(service.child.pid).toFixed(0)} MiB`);
  await service.stop();
  return seconds;
}

async function clear(): Promise<void> {
  for (const stream of STREAMS) await system.db.run(`TRUNCATE TABLE stg.${stream}_raw SYNC`);
  await deleteGroups(system.admin, CONSUMER_GROUPS);
}

async function waitForRows(messages: number, start: number): Promise<number> {
  for (;;) {
    const rows = await rawRowCount(system.db);
    if (rows > messages) throw new Error(`${rows} rows of ${messages} messages`);
    if (rows === messages) return (performance.now() - start) / 1000;
    await sleep(POLL_MS);
  }
}
