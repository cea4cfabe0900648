import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { type AlertRule, slugOf } from "../../dashboards/alerts/rule.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { RESTARTS } from "../../dashboards/delivery/grafana-dashboard.ts";
import { prometheusRules } from "../../dashboards/delivery/prometheus.ts";
import { broker } from "../../dashboards/signals/broker.ts";
import { generator, NO_GENERATOR } from "../../dashboards/signals/generator.ts";
import { scheduler } from "../../dashboards/signals/scheduler.ts";
import { useFolder } from "../support/use-folder.ts";
import { type RuleCase, STEP_SECONDS } from "./case.ts";
import { ruleCases } from "./rule-cases.ts";
import { tools } from "./tools.ts";
import { WAITS } from "./waits.ts";

/** Minutes after which every rule's window and duration have passed. */
const EVALUATED_AT_MINUTE = 50;

const folder = useFolder("rules");
let promtool: string;
beforeAll(() => {
  promtool = tools.promtool();
  writeFileSync(join(folder, "rules.yml"), prometheusRules(alertRules));
});

const ruleOf = (name: string): AlertRule => {
  const rule = alertRules.find((one) => one.name === name);
  if (!rule) throw new Error(`no rule ${name}`);
  return rule;
};

const alerts = (rule: string, state: "pending" | "firing", at: string, count: number) => ({
  expr: `count(ALERTS{alertname="${rule}",alertstate="${state}"})`,
  eval_time: at,
  exp_samples: count === 0 ? [] : [{ labels: "{}", value: count }],
});

const unit = (
  { rule, about, firing, input, atMinute = EVALUATED_AT_MINUTE }: RuleCase,
  ...further: object[]
) => ({
  name: `${rule}: ${about}`,
  interval: `${STEP_SECONDS}s`,
  input_series: input,
  promql_expr_test: [alerts(rule, "firing", `${atMinute}m`, firing), ...further],
});

function prove(tests: readonly object[]): string {
  const file = join(folder, "tests.yml");
  writeFileSync(file, stringify({ rule_files: ["rules.yml"], evaluation_interval: "10s", tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", file], {
    encoding: "utf8",
  });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

describe("each rule, by promtool", () => {
  test("the rules are well-formed, without a warning", () => {
    const { status, stdout, stderr } = spawnSync(
      promtool,
      ["check", "rules", "--lint=all", "--lint-fatal", join(folder, "rules.yml")],
      { encoding: "utf8" },
    );
    expect(status, stdout + stderr).toBe(0);
  });

  test.each(alertRules.map(({ name }) => [name]))(
    "%s has a case that fires and one that does not",
    (name) => {
      const own = ruleCases.filter(({ rule }) => rule === name);
      expect(own.filter(({ firing }) => firing > 0).length).toBeGreaterThan(0);
      expect(own.filter(({ firing }) => firing === 0).length).toBeGreaterThan(0);
    },
  );

  test.each(ruleCases.map((one) => [`${one.rule}: ${one.about}`, one] as const))("%s", (_, one) => {
    expect(prove([unit(one)])).toBe("");
  });

  test.each(alertRules.map((rule) => [rule.name, rule] as const))(
    "%s without data",
    (name, rule) => {
      const firing = rule.noData === "alert" ? 1 : 0;
      expect(prove([unit({ rule: name, about: "no data", firing, input: [] })])).toBe("");
    },
  );

  test.each([
    ["BrokerDown", {}, "0 brokers answer"],
    ["SchedulerDown", {}, "0 heartbeats of the scheduler in two minutes"],
    ["TargetDown", {}, "No target is known"],
    ["TargetDown", { job: "broker" }, "1 targets of the job broker do not answer"],
    [
      "PipelineErrorShareHigh",
      { reason: "late_event" },
      "6 % of the past hour's messages have the marker late_event",
    ],
  ])("%s %o has the message: %s", (name, labels, summary) => {
    const input =
      Object.keys(labels).length === 0
        ? []
        : ruleCases.find(({ rule, firing }) => rule === name && firing > 0)?.input;
    const alert_rule_test = [
      {
        eval_time: `${EVALUATED_AT_MINUTE}m`,
        alertname: name,
        exp_alerts: [
          {
            exp_labels: { severity: ruleOf(name).severity, ...labels },
            exp_annotations: {
              summary,
              hint: ruleOf(name).hint,
              runbook: `docs/reference/metrics-and-alerts.md#${slugOf(name)}`,
            },
          },
        ],
      },
    ];
    const about = "its summary";
    expect(
      prove([{ ...unit({ rule: name, about, firing: 1, input: input ?? [] }), alert_rule_test }]),
    ).toBe("");
  });

  /** Seconds until the condition of the first case of a rule holds, other than 0: a rate needs two samples. */
  const HOLDS_FROM: Readonly<Record<string, number>> = {
    DatabaseFailedQueries: 20,
    DatabaseInsertsRejected: 20,
    DatabaseKafkaCommitFailures: 20,
    DatabaseDiskFullForeseen: 1800,
    BrokerNoMessagesProduced: 20,
    SchedulerTaskFailures: 20,
    GeneratorSilent: 230,
    GeneratorStateNotSaved: 20,
    GeneratorPublishErrors: 20,
    CollectorBadHits: 20,
    CollectorJournalFull: 20,
    CollectorSlow: 20,
  };
  test.each(Object.entries(WAITS))("%s fires after %d s, not before", (name, wait) => {
    const one = ruleCases.find(({ rule, firing: count }) => rule === name && count > 0);
    if (!one) throw new Error(`no case for ${name}`);
    const at = (HOLDS_FROM[name] ?? 0) + wait;
    const steps = [
      ...(wait === 0 ? [] : [alerts(name, "pending", `${at - 10}s`, 1)]),
      ...(at === 0 ? [] : [alerts(name, "firing", `${at - 10}s`, 0)]),
      alerts(name, "firing", `${at}s`, 1),
    ];
    expect(prove([unit(one, ...steps)])).toBe("");
  });
});

describe("counters whose first sample counts, by promtool", () => {
  const run = 'job="scheduler",dag_id="etl_pipeline"';
  const sum = `airflow_dagrun_duration_success_sum{${run}}`;
  const count = `airflow_dagrun_duration_success_count{${run}}`;
  const failed = `airflow_dagrun_duration_failed_count{${run}}`;
  const first = "_x180 1x60";
  test.each([
    [
      "a DAG's first run has a duration",
      scheduler.runTime.expr,
      [
        { series: sum, values: "_x180 61x60" },
        { series: count, values: first },
      ],
      [{ labels: '{dag_id="etl_pipeline"}', value: 61 }],
    ],
    [
      "a DAG's first runs of either end are runs",
      scheduler.runs.expr,
      [
        { series: count, values: first },
        { series: failed, values: "_x180 2x60" },
      ],
      [
        { labels: '{dag_id="etl_pipeline",state="success"}', value: 1 },
        { labels: '{dag_id="etl_pipeline",state="failed"}', value: 2 },
      ],
    ],
    [
      "a task that started over with its exporter counts",
      scheduler.successes.expr,
      [{ series: 'airflow_ti_successes{job="scheduler"}', values: "9x190 1x50" }],
      [{ labels: '{job="scheduler"}', value: 1 }],
    ],
    [
      "what a restarted exporter has counted since then counts whole",
      scheduler.failures.expr,
      [
        { series: 'airflow_ti_failures{job="scheduler"}', values: "3x190 5x50" },
        { series: 'process_start_time_seconds{job="scheduler"}', values: "1000x190 3000x50" },
        { series: 'up{job="scheduler"}', values: "1x240" },
      ],
      [{ labels: '{job="scheduler"}', value: 5 }],
    ],
    [
      "growth has the same labels as a counter that started over",
      scheduler.failures.expr,
      [{ series: 'airflow_ti_failures{job="scheduler"}', values: "3x190 5x50" }],
      [{ labels: '{job="scheduler"}', value: 2 }],
    ],
    [
      "a generator that is gone keeps its last batch",
      generator.silence.expr,
      [{ series: 'generator_last_success_timestamp{job="generator"}', values: "60x20 _x220" }],
      [{ labels: "{}", value: 2940 }],
    ],
    [
      "a generator that is gone is reported as such",
      generator.state.expr,
      [
        { series: 'generator_service_state{job="generator"}', values: "4x20 _x220" },
        { series: 'up{job="generator"}', values: "1x20 0x220" },
      ],
      [{ labels: "{}", value: NO_GENERATOR }],
    ],
    [
      "a DAG's first successful run after a restart is a run",
      scheduler.runs.expr,
      [
        { series: count, values: "1x100 _x80 1x60" },
        { series: 'up{job="scheduler"}', values: "1x240" },
        { series: 'process_start_time_seconds{job="scheduler"}', values: "1000x150 2000x90" },
      ],
      [{ labels: '{dag_id="etl_pipeline",state="success"}', value: 1 }],
    ],
    [
      "no broker is reported as 0, not as nothing",
      broker.brokersUp.expr,
      [{ series: 'kafka_brokers{job="broker"}', values: "1x240" }],
      [{ labels: "{}", value: 0 }],
    ],
    [
      "a target that went and came is marked, a stranger's is not",
      `count(${RESTARTS})`,
      ["broker", "stranger"].map((job) => ({
        series: `up{job="${job}",instance="one"}`,
        values: "1x197 0x43",
      })),
      [{ labels: "{}", value: 1 }],
    ],
  ])("%s", (name, expr, input_series, exp_samples) => {
    const eval_time = `${EVALUATED_AT_MINUTE}m`;
    const promql_expr_test = [{ expr, eval_time, exp_samples }];
    expect(prove([{ name, interval: `${STEP_SECONDS}s`, input_series, promql_expr_test }])).toBe(
      "",
    );
  });
});
