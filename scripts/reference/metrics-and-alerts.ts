/** Generates the page of metrics and alerts from their definitions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeMetrics } from "../../generator/service/metrics.ts";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { alertSections } from "./alerts.ts";
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

export const metricsPage = async (): Promise<string> =>
  [
    "# Metrics and alerts",
    "[Monitoring](../monitoring.md) explains where they come from. Each panel of Grafana says in its description what it shows.",
    "## Metrics of the generator",
    await generatorTable(),
    "## Metrics of the layers",
    "From the view `dm_internal.v_pipeline_metrics`.",
    pipelineTable(),
    "## Alerts",
    "Each section has the alert's condition and meaning, then its fix.",
    ...alertSections(),
  ].join("\n\n");
