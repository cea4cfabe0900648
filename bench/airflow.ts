/**
 * `etl_pipeline` in Airflow beside `pipeline transform` on the same messages, each from an empty
 * database: what the scheduler adds. Needs what the airflow level needs.
 *
 *   node bench/airflow.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderTable } from "../terminal/format.ts";
import { Stand } from "../test/airflow/environment.ts";
import { pipelineAsync } from "../test/support/cli.ts";

/** About a million messages at the default rate. */
const T_END = "2026-01-10T18:00:00Z";
const PROMISED = 1.3;
const ROUNDS = 2;

interface Measured {
  readonly messages: number;
  readonly transform: number;
  readonly dag: number;
}

async function must(done: Promise<{ status: number | null; stderr: string }>): Promise<number> {
  const started = performance.now();
  const { status, stderr } = await done;
  if (status !== 0) throw new Error(stderr);
  return (performance.now() - started) / 1000;
}

async function load(stand: Stand, dataset: string, limit: number): Promise<number> {
  await stand.dropLayers();
  await must(stand.pipeline("ddl"));
  await must(stand.pipeline("topics"));
  await must(stand.pipeline("data", "--dataset", dataset, "--limit", String(limit)));
  return stand.rows(
    "(SELECT 1 FROM stg.browser_raw UNION ALL SELECT 1 FROM stg.location_raw " +
      "UNION ALL SELECT 1 FROM stg.device_raw UNION ALL SELECT 1 FROM stg.geo_raw)",
  );
}

/** From the run's start to its end: the moment that it waits in the queue before is not counted. */
async function secondsOfDag(stand: Stand): Promise<number> {
  const { failures, id } = await stand.run("etl_pipeline");
  if (Object.keys(failures).length > 0) throw new Error(JSON.stringify(failures));
  const run = await stand.airflow.client.run("etl_pipeline", id);
  return (Date.parse(run.end_date ?? "") - Date.parse(run.start_date ?? "")) / 1000;
}

const best = (values: readonly number[]): number => Math.min(...values);

/** The best of some rounds each, by turns: what else the machine does makes both slower. */
async function measure(stand: Stand, dataset: string, limit: number): Promise<Measured> {
  const [transforms, dags]: [number[], number[]] = [[], []];
  let messages = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    messages = await load(stand, dataset, limit);
    transforms.push(await must(stand.pipeline("transform")));
    await load(stand, dataset, limit);
    dags.push(await secondsOfDag(stand));
  }
  return { messages, transform: best(transforms), dag: best(dags) };
}

const folder = mkdtempSync(join(tmpdir(), "bench-airflow-"));
const dataset = join(folder, "dataset");
let stand: Stand | undefined;
try {
  await must(pipelineAsync(["dataset", "write", dataset], { GEN_MODEL_T_END: T_END }));
  stand = await Stand.open();
  const small = await measure(stand, dataset, 50);
  const large = await measure(stand, dataset, 0);
  const constant = small.dag - small.transform;
  const rows = [small, large].map(({ messages, transform, dag }) => [
    messages.toLocaleString("en"),
    transform.toFixed(1),
    dag.toFixed(1),
    (dag - transform).toFixed(1),
  ]);
  console.log(renderTable(["messages", "transform, s", "etl_pipeline, s", "difference"], rows));
  const isKept = large.dag <= PROMISED * large.transform + constant;
  console.log(
    `constant ${constant.toFixed(1)} s; ${large.dag.toFixed(1)} s of at most ` +
      `${(PROMISED * large.transform + constant).toFixed(1)} s: ${isKept ? "kept" : "NOT KEPT"}`,
  );
  process.exitCode = isKept ? 0 : 1;
} finally {
  await stand?.close();
  rmSync(folder, { recursive: true, force: true });
}
