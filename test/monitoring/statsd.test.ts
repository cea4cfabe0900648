import { afterAll, beforeAll, expect, test } from "vitest";
import { waitFor } from "../kafka/harness.ts";
import { exportedName } from "../support/statsd-names.ts";
import { airflowLines } from "./airflow-lines.ts";
import { startStatsdExporter, type TestStatsd } from "./environment.ts";
import { sendLines } from "./send-lines.ts";

/** Lines that the recorded runs lack: a task in a task group, a schedule, and the last line. */
const more = [
  "airflow.ti.finish,dag_id=generator_control,task_id=backfill.run_it,state=failed:1|c",
  "airflow.dagrun.schedule_delay,dag_id=etl_live:1500|ms",
  "airflow.the_last_one:1|g",
];
const lines = [...airflowLines, ...more];

let system: TestStatsd;
let text: string;
beforeAll(async () => {
  system = await startStatsdExporter();
  await sendLines(system, lines);
  await waitFor("the last line has arrived", async () =>
    (await system.metrics()).includes("airflow_the_last_one"),
  );
  text = await system.metrics();
});
afterAll(() => system.stop());

/** Value of a series without quantile; undefined if the exporter lacks it. Labels in any order. */
function sample(name: string, labels: Readonly<Record<string, string>>): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split("\n")
    .find(
      (one) =>
        new RegExp(`^airflow_${name}[{ ]`).test(one) &&
        wanted.every((label) => one.includes(label)),
    );
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
}

/** Value of a recorded line. */
function recorded(start: string): number {
  const line = airflowLines.find((one) => one.startsWith(`airflow.${start}`));
  if (line === undefined) throw new Error(`airflow.${start} is not recorded`);
  return Number(line.slice(line.lastIndexOf(":") + 1, line.indexOf("|")));
}

test("the real exporter exports each line under the name that the Airflow tests expect, and nothing else", () => {
  const names = [...text.matchAll(/^# TYPE (airflow_\w+) /gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual([...new Set(lines.map(exportedName))].toSorted());
});

test.each([
  ["ti_finish", { dag_id: "ddl_init", state: "success", task_id: "apply_schema" }, 1],
  ["ti_finish", { dag_id: "etl_pipeline", state: "failed", task_id: "wait_for_stg_data" }, 1],
  ["ti_finish", { dag_id: "generator_control", state: "failed", task_id: "backfill.run_it" }, 1],
  ["dagrun_duration_success_count", { dag_id: "etl_pipeline" }, 1],
  ["dagrun_duration_failed_count", { dag_id: "etl_pipeline" }, 1],
  ["ti_failures", { dag_id: "etl_pipeline", task_id: "wait_for_stg_data" }, 1],
  ["scheduler_heartbeat", {}, 1],
  // Milliseconds become seconds.
  ["dagrun_schedule_delay_sum", { dag_id: "etl_live" }, 1.5],
  ["pool_open_slots", { pool_name: "default_pool" }, recorded("pool.open_slots")],
  ["executor_open_slots", {}, recorded("executor.open_slots")],
  ["dag_processing_import_errors", {}, recorded("dag_processing.import_errors")],
])("airflow_%s%j is %d", (name, labels, value) => expect(sample(name, labels)).toBe(value));

test("the exporter accepts every line", () => {
  expect(text).toMatch(/^statsd_exporter_lines_total \d+$/m);
  expect(text).not.toMatch(/^statsd_exporter_sample_errors_total\{.*\} [1-9]/m);
  expect(text).not.toMatch(/^statsd_exporter_events_conflict_total\{.*\} [1-9]/m);
  expect(text).not.toMatch(/^statsd_exporter_tag_errors_total [1-9]/m);
});
