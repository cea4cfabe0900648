import type { Rule } from "@grafana/grafana-foundation-sdk/alerting";
import type { Dashboard } from "@grafana/grafana-foundation-sdk/dashboard";
import { rulesFor } from "../alerts/rules.ts";
import { pagesFor } from "../definitions/all.ts";
import type { Job } from "../promql.ts";
import { grafanaDashboard, type Tool } from "./grafana-dashboard.ts";
import { grafanaRule } from "./grafana-rules.ts";

/** Inputs of Grafana's content. */
export interface ContentOptions {
  readonly jobs: ReadonlySet<Job>;
  readonly tools: readonly Tool[];
  /** Address of the runbook, if it has one. */
  readonly runbook: string | undefined;
}

/** Content of Grafana, for delivery by files or by resources. */
export interface GrafanaContent {
  readonly dashboards: readonly Dashboard[];
  /** By group, in order. */
  readonly rules: readonly { readonly group: string; readonly rules: readonly Rule[] }[];
}

export function grafanaContent({ jobs, tools, runbook }: ContentOptions): GrafanaContent {
  const pages = pagesFor(jobs);
  const rules = rulesFor(jobs).map((rule) => plain(grafanaRule(rule, { runbook, pages })));
  const groups = [...new Set(rules.map(({ ruleGroup }) => ruleGroup))];
  return {
    dashboards: pages.map((page) => plain(grafanaDashboard(page, tools))),
    rules: groups.map((group) => ({
      group,
      rules: rules.filter(({ ruleGroup }) => ruleGroup === group),
    })),
  };
}

/** Removes the functions that the SDK adds to its queries, which YAML cannot serialize. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
