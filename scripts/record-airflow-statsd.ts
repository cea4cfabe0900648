/**
 * Records StatsD packets of a real Airflow with failing and successful DAGs, as test data of the
 * monitoring level. Has the requirements of the `airflow` test level.
 * node scripts/record-airflow-statsd.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TestSystem } from "../test/airflow/environment.ts";

const FILE = join(import.meta.dirname, "../test/monitoring/recorded/airflow-statsd.txt");
/** Wait at the end, ms, because Airflow reports pools, executor and DAG files periodically. */
const SETTLE_MS = 40_000;

const system = await TestSystem.open();
try {
  const version = await system.airflow.ask<{ version: string }>("GET", "/version");
  const runs = [
    // Fails, because there is no schema yet.
    ["etl_pipeline", {}],
    ["ddl_init", {}],
    ["broker_load", { limit: 200 }],
    ["etl_pipeline", {}],
  ] as const;
  const ends: string[] = [];
  for (const [dag, conf] of runs) {
    const { state } = await system.run(dag, conf);
    ends.push(`${dag} (${state})`);
    console.error(ends.at(-1));
  }
  await sleep(SETTLE_MS);
  const head = [
    `StatsD packets of Airflow ${version.version}, one line per name and tags: the last one, or the largest of`,
    "a counter. From all programs and tasks of the system of test/airflow during these successive",
    "runs:",
    `${ends.join(", ")}.`,
    `Recorded on ${new Date().toISOString().slice(0, 10)} by node scripts/record-airflow-statsd.ts`,
  ];
  const lines = [...head.map((line) => `# ${line}`), ...system.statsd.lines()];
  writeFileSync(FILE, `${lines.join("\n")}\n`);
  console.log(`${FILE}: ${lines.length - head.length} lines`);
} finally {
  await system.close();
}
