import { alertRules } from "../../dashboards/alerts/rules.ts";
import { dashboardsFor } from "../../dashboards/definitions/all.ts";
import { JOB_NAMES } from "../../dashboards/promql.ts";

/** Returns the job of every metric name that a panel or rule uses. */
export function usedMetrics(): Map<string, string> {
  const panels = dashboardsFor(new Set(JOB_NAMES)).flatMap(({ rows }) =>
    rows.flatMap((r) => r.panels),
  );
  const expressions = [
    ...panels.flatMap(({ signals }) => signals.map(({ expr }) => expr)),
    ...alertRules.map(({ signal }) => signal.expr),
  ];
  return new Map(
    expressions.flatMap((expr) =>
      [...expr.matchAll(/([a-zA-Z_]\w*)\{job="(\w+)"/g)].map((match) => [
        match[1] ?? "",
        match[2] ?? "",
      ]),
    ),
  );
}
