import { rulesFor } from "../alerts/rules.ts";
import { dashboardsFor } from "../definitions/all.ts";
import type { Job } from "../promql.ts";
import { grafanaDashboard, type Tool } from "./grafana-dashboard.ts";
import { grafanaRule } from "./grafana-rules.ts";

export interface ContentOptions {
  readonly jobs: ReadonlySet<Job>;
  readonly tools: readonly Tool[];
  readonly runbook: string | undefined;
}

export type GrafanaContent = ReturnType<typeof grafanaContent>;

export function grafanaContent({ jobs, tools, runbook }: ContentOptions) {
  const dashboards = dashboardsFor(jobs);
  const groups = Map.groupBy(rulesFor(jobs), ({ group }) => group);
  return {
    dashboards: dashboards.map((dashboard) => grafanaDashboard(dashboard, tools)),
    rules: [...groups].map(([group, rules]) => ({
      group,
      rules: rules.map((rule) => grafanaRule(rule, { runbook, dashboards })),
    })),
  };
}
