import { afterAll, beforeAll, expect, test } from "vitest";
import { waitFor } from "../kafka/harness.ts";
import { exportedName } from "../support/statsd-names.ts";
import { airflowLines } from "./airflow-lines.ts";
import { startStatsdExporter, type TestStatsd } from "./environment.ts";
import { sendLines } from "./send-lines.ts";

/** Lines that the recorded runs lack: a task in a task group, and the last rules of the mapping. */
const more = [
  "airflow.ti.finish.generator_control.backfill.run_it.failed:1|c",
  "airflow.dagrun.schedule_delay.etl_live:1500|ms",
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

const ours = (): string[] => text.split("\n").filter((line) => line.startsWith("airflow_"));
const names = (): Set<string> =>
  new Set([...text.matchAll(/^# TYPE (airflow_\w+) /gm)].map(([, name]) => name ?? ""));

/** Value of a recorded metric. */
function recorded(name: string): string {
  const line = airflowLines.find((one) => one.startsWith(`airflow.${name}:`));
  if (line === undefined) throw new Error(`airflow.${name} is not recorded`);
  return line.slice(line.indexOf(":") + 1, line.indexOf("|"));
}

test.each(lines)("the real exporter maps %s as the Airflow tests expect", (line) => {
  const name = exportedName(line);
  if (name !== undefined) expect([...names()]).toContain(name);
});

test("it exports nothing else", () => {
  expect([...names()].toSorted()).toEqual(
    [...new Set(lines.flatMap((line) => exportedName(line) ?? []))].toSorted(),
  );
});

test.each([
  ['task_finish_total{dag_id="ddl_init",state="success",task_id="apply_schema"} 1'],
  ['task_finish_total{dag_id="etl_pipeline",state="failed",task_id="wait_for_stg_data"} 1'],
  ['task_finish_total{dag_id="generator_control",state="failed",task_id="backfill.run_it"} 1'],
  ['task_start_total{dag_id="etl_pipeline",task_id="load_ods"} 1'],
  ['dagrun_duration_success_count{dag_id="etl_pipeline"} 1'],
  ['dagrun_duration_failed_count{dag_id="etl_pipeline"} 1'],
  ['dagrun_schedule_delay_sum{dag_id="etl_live"} 1.5'],
  ['operator_failures_total{operator="PipelineOperator"} 1'],
  ["scheduler_heartbeat 1"],
  ["ti_failures 1"],
])("labels: airflow_%s", (line) => expect(ours()).toContain(`airflow_${line}`));

test.each([
  ["pool.open_slots.default_pool", 'pool_open_slots{pool_name="default_pool"}'],
  ["pool.starving_tasks.default_pool", 'pool_starving_tasks{pool_name="default_pool"}'],
  ["executor.open_slots", "executor_open_slots"],
  ["dag_processing.total_parse_time", "dag_processing_total_parse_time"],
])("values: %s", (name, series) => {
  const line = ours().find((one) => one.startsWith(`airflow_${series} `));
  expect(Number(line?.split(" ").at(-1))).toBe(Number(recorded(name)));
});

test("milliseconds become seconds", () => {
  const start = 'airflow_dagrun_duration_success_sum{dag_id="etl_pipeline"} ';
  const seconds = Number(
    ours()
      .find((line) => line.startsWith(start))
      ?.slice(start.length),
  );
  expect(seconds).toBeCloseTo(Number(recorded("dagrun.duration.success.etl_pipeline")) / 1000, 3);
});

test("an unlabelled duplicate adds no series and no value", () => {
  const unlabelled = ours().filter(
    (line) =>
      /^airflow_(ti_(start|finish)|task_|pool_|dagrun_|operator_|dag_processing_last_|local_task)/.test(
        line,
      ) && !/\{.*(dag_id|pool_name|operator|dag_file)=/.test(line),
  );
  expect(unlabelled).toEqual([]);
});

test("the exporter accepts every line", () => {
  expect(text).toMatch(/^statsd_exporter_lines_total \d+$/m);
  expect(text).not.toMatch(/^statsd_exporter_sample_errors_total\{.*\} [1-9]/m);
  expect(text).not.toMatch(/^statsd_exporter_events_conflict_total\{.*\} [1-9]/m);
});
