/** Generates the page of alerts from their definitions. */
import { type AlertRule, secondsOf, slugOf } from "../../dashboards/alerts/rule.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { hasDrill } from "../../dashboards/drills/breakages.ts";
import type { Signal } from "../../dashboards/signal.ts";
import { code } from "./table.ts";

/** Returns a title whose anchor is the rule's slug: `BrokerDown` → `Broker down`. */
const titleOf = ({ name }: AlertRule): string => {
  const words = slugOf(name).replaceAll("-", " ").replace("kafka", "Kafka");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function durationOf(rule: AlertRule): string {
  const seconds = secondsOf(rule.for);
  if (seconds === 0) return "immediately";
  if (seconds < 60) return `for ${seconds} s`;
  return seconds === 60 ? "for 1 minute" : `for ${seconds / 60} minutes`;
}

function conditionText(rule: AlertRule): string {
  const { signal, fires, severity, noData } = rule;
  const silence = noData === "alert" ? " Also alerts without data." : "";
  const bound = valueText(fires.threshold, signal.unit);
  return `*${signal.name}* ${fires.when} ${bound}, ${durationOf(rule)}: ${severity}.${silence}`;
}

const GIB = 1024 ** 3;
const DURATIONS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** Formats a threshold. */
function valueText(value: number, unit: Signal["unit"]): string {
  const number = value.toLocaleString("en");
  switch (unit) {
    case "percent":
      return `${number} %`;
    case "bytes":
      return value < GIB ? `${number} B` : `${value / GIB} GiB`;
    case "s": {
      const [seconds, name] = DURATIONS.find(([least]) => value >= least) ?? [1, "s"];
      return `${value / seconds} ${name}`;
    }
    case "reqps":
    case "ops":
      return `${number}/s`;
    case "cpm":
      return `${number}/min`;
    default:
      return number;
  }
}

const sectionOf = (rule: AlertRule): string => {
  const meaning = [conditionText(rule), rule.about].filter(Boolean).join(" ");
  return `### ${titleOf(rule)}\n\n${meaning}\n\n${rule.hint}`;
};

/** Returns one section per alert: its condition and meaning, then its fix. */
export const alertSections = (): string[] => alertRules.map(sectionOf);

const drilled = alertRules.filter(hasDrill).map(({ name }) => name);

export const metricsPage = (): string =>
  [
    "# Metrics and alerts",
    "Each metric describes itself: see `http://localhost:9109/metrics` of the generator, and the columns `name` and `help` of the view `dm_internal.v_pipeline_metrics` for the layers. [Monitoring](../monitoring.md) lists the other sources.",
    "## Alerts",
    "Each section has the alert's condition and meaning, then its fix.",
    `\`make drill ALERT=NAME\` tries ${drilled.map(code).join(", ")}.`,
    ...alertSections(),
  ].join("\n\n");
