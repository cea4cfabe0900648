import { stringify } from "yaml";
import type { AlertRule } from "../alerts/rule.ts";
import { orZero } from "../promql.ts";
import { annotationsOf } from "./annotations.ts";

/** Seconds between evaluations, the same at Prometheus and in Grafana. */
export const EVALUATION_SECONDS = 10;

export interface RuleFileOptions {
  /** Multiplies every duration, so that a test need not wait: 0.1 makes ten minutes one. */
  readonly scale?: number;
  /** Address of the page with the fixes, where it has one. */
  readonly runbook?: string | undefined;
}

/** All rules as a Prometheus rule file: what promtool proves and a live Prometheus evaluates. */
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

/** The condition as one expression; where no data alerts and can be, absence is part of it. */
export function conditionOf({ signal, fires, noData }: AlertRule): string {
  const sign = fires.when === "above" ? ">" : "<";
  const condition = `(${signal.expr}) ${sign} ${fires.threshold}`;
  if (noData === "ok" || signal.expr.endsWith(orZero(""))) return condition;
  return `(${condition}) or absent(${signal.expr})`;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const DURATION = /(\[|offset |^)(\d+)([smhd])(?=\]|\)|\s|$)/g;

/** Scales ranges, offsets and bare durations; never below a second, and whole milliseconds. */
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
