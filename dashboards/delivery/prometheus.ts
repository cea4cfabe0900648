import { stringify } from "yaml";
import type { AlertRule } from "../alerts/rule.ts";
import { orZero } from "../promql.ts";
import { annotationsOf } from "./annotations.ts";

/** Seconds between evaluations, the same in Prometheus and Grafana. */
export const EVALUATION_SECONDS = 10;

export interface RuleFileOptions {
  /** Factor of every duration, to shorten tests: 0.1 turns ten minutes into one. */
  readonly scale?: number;
  readonly runbook?: string | undefined;
}

export function prometheusRules(
  rules: readonly AlertRule[],
  { scale = 1, runbook }: RuleFileOptions = {},
): string {
  const groups = [...new Set(rules.map(({ group }) => group))].map((name) => ({
    name,
    interval: seconds(EVALUATION_SECONDS, scale),
    rules: rules
      .filter(({ group }) => group === name)
      .map((rule) => prometheusRule(rule, scale, runbook)),
  }));
  return stringify({ groups }, { lineWidth: 0 });
}

const prometheusRule = (rule: AlertRule, scale: number, runbook: string | undefined) => ({
  alert: rule.name,
  expr: scaled(conditionOf(rule), scale),
  for: scaled(rule.for, scale),
  labels: { severity: rule.severity },
  annotations: annotationsOf(rule, "{{ $value | humanize }}", runbook),
});

/** Returns the condition as one PromQL expression, with `absent()` if missing data should alert. */
export function conditionOf({ signal, fires, noData }: AlertRule): string {
  const sign = fires.when === "above" ? ">" : "<";
  const condition = `(${signal.expr}) ${sign} ${fires.threshold}`;
  if (noData === "ok" || signal.expr.endsWith(orZero(""))) return condition;
  return `(${condition}) or absent(${signal.expr})`;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const DURATION = /(\[|offset |^)(\d+)([smhd])(?=\]|\)|\s|$)/g;

/** Scales ranges, offsets and durations to whole milliseconds, at least one second. */
function scaled(text: string, scale: number): string {
  if (scale === 1) return text;
  return text.replace(
    DURATION,
    (_, before: string, count: string, unit: string) =>
      before + seconds(Number(count) * (UNIT_SECONDS[unit] ?? 1), scale),
  );
}

const seconds = (value: number, scale: number): string =>
  value === 0
    ? "0s"
    : `${Math.max(1000, Math.round(value * scale * 1000))}ms`.replace(/000ms$/, "s");
