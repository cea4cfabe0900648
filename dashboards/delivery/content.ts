import type { Rule } from "@grafana/grafana-foundation-sdk/alerting";
import type { Dashboard } from "@grafana/grafana-foundation-sdk/dashboard";
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

export interface GrafanaContent {
  readonly dashboards: readonly Dashboard[];
  readonly rules: readonly { readonly group: string; readonly rules: readonly Rule[] }[];
}

export function grafanaContent({ jobs, tools, runbook }: ContentOptions): GrafanaContent {
  const dashboards = dashboardsFor(jobs);
  const rules = rulesFor(jobs).map((rule) => plain(grafanaRule(rule, { runbook, dashboards })));
  const groups = [...new Set(rules.map(({ ruleGroup }) => ruleGroup))];
  return {
    dashboards: dashboards.map((dashboard) => plain(grafanaDashboard(dashboard, tools))),
    rules: groups.map((group) => ({
      group,
      rules: rules.filter(({ ruleGroup }) => ruleGroup === group),
    })),
  };
}

/** Removes functions that the SDK adds to queries, because YAML cannot serialize them. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
