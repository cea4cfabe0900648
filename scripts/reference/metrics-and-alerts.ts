/** Generates the page of metrics, signals and alerts from their definitions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { slugOf } from "../../dashboards/alerts/rule.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { dashboardsFor } from "../../dashboards/definitions/all.ts";
import { JOB_NAMES } from "../../dashboards/promql.ts";
import { makeMetrics } from "../../generator/service/metrics.ts";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { conditionText } from "./alerts.ts";
import { code, tableText } from "./table.ts";

const METRIC = ["metric", "meaning"];

async function generatorTable(): Promise<string> {
  const metrics = await makeMetrics().registry.getMetricsAsJSON();
  return tableText({
    head: METRIC,
    rows: metrics.map(({ name, help }) => [code(name), help]),
  });
}

/** A name and the first text after it that is a sentence. */
const PIPELINE_METRIC = /'(pipeline_\w+)'.*?'([A-Z][^']* [^']*)'/gs;

function pipelineTable(): string {
  const sql = readFileSync(join(SQL_ROOT, "ddl/40_dm/70_v_pipeline_metrics.sql"), "utf8");
  return tableText({
    head: METRIC,
    rows: [...sql.matchAll(PIPELINE_METRIC)].map(([, name, help = ""]) => [code(name), help]),
  });
}

const signalSections = (): string[] =>
  dashboardsFor(new Set(JOB_NAMES)).map(({ title, uid, rows }) => {
    const signals = new Set(rows.flatMap(({ panels }) => panels.flatMap((one) => one.signals)));
    const table = tableText({
      head: ["signal", "meaning", "unit"],
      rows: [...signals].map(({ name, meaning, unit }) => [name, meaning, code(unit)]),
    });
    return `### ${title}\n\n${code(`/d/${uid}`)}\n\n${table}`;
  });

const alertTable = (): string =>
  tableText({
    head: ["alert", "condition", "dashboard"],
    rows: alertRules.map((rule) => [
      `[${rule.name}](alerts.md#${slugOf(rule.name)})`,
      conditionText(rule),
      code(`/d/${rule.dashboard}`),
    ]),
  });

export const metricsPage = async (): Promise<string> =>
  [
    "# Metrics and alerts",
    "[Monitoring](../monitoring.md) explains where they come from; [alerts](alerts.md) has the fix of each.",
    "## Metrics of the generator",
    await generatorTable(),
    "## Metrics of the layers",
    "From the view `dm_internal.v_pipeline_metrics`.",
    pipelineTable(),
    "## Signals by dashboard",
    ...signalSections(),
    "## Alerts",
    alertTable(),
  ].join("\n\n");
