/**
 * Records StatsD packets of a real Airflow while DAGs fail and succeed, as test data of the
 * monitoring level. Has the requirements of the `airflow` test level.
 * node scripts/record-airflow-statsd.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TestSystem } from "../test/airflow/environment.ts";

const FILE = join(import.meta.dirname, "../test/monitoring/recorded/airflow-statsd.txt");
/** Pools, executor and DAG files are reported only every few seconds. */
const SETTLE_MS = 40_000;

const system = await TestSystem.open();
try {
  const version = await system.airflow.ask<{ version: string }>("GET", "/version");
  const runs = [
    // Fails: there is no schema yet.
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
    `What Airflow ${version.version} sends by StatsD, one line of each name: the last, of a counter the`,
    "one that counted most. Scheduler, web server and tasks of the system of test/airflow, while these",
    "ran one after another:",
    `${ends.join(", ")}.`,
    `Recorded on ${new Date().toISOString().slice(0, 10)} by node scripts/record-airflow-statsd.ts`,
  ];
  const lines = [...head.map((line) => `# ${line}`), ...system.statsd.lines()];
  writeFileSync(FILE, `${lines.join("\n")}\n`);
  console.log(`${FILE}: ${lines.length - head.length} lines`);
} finally {
  await system.close();
}
