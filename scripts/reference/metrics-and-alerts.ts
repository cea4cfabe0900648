/** Generates the page of alerts from their definitions. */
import { alertSections, drilledAlerts } from "./alerts.ts";
import { code } from "./table.ts";

export const metricsPage = (): string =>
  [
    "# Metrics and alerts",
    "Each metric describes itself: see `http://localhost:9109/metrics` of the generator, and the columns `name` and `help` of the view `dm_internal.v_pipeline_metrics` for the layers. [Monitoring](../monitoring.md) lists the other sources.",
    "## Alerts",
    "Each section has the alert's condition and meaning, then its fix.",
    `\`make drill ALERT=NAME\` tries ${drilledAlerts().map(code).join(", ")}.`,
    ...alertSections(),
  ].join("\n\n");
