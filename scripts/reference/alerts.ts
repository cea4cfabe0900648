/** Generates the sections of the alert rules. */
import { type AlertRule, secondsOf, slugOf } from "../../dashboards/alerts/rule.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { hasDrill } from "../../dashboards/drills/breakages.ts";
import type { Signal } from "../../dashboards/signal.ts";

const WIDTH = 105;

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

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

const sectionOf = (rule: AlertRule): string => {
  const meaning = [conditionText(rule), rule.about].filter(Boolean).join(" ");
  return `### ${titleOf(rule)}\n\n${wrapped(meaning)}\n\n${wrapped(rule.hint)}`;
};

/** Returns the names of the alerts that a drill tries. */
export const drilledAlerts = (): string[] => alertRules.filter(hasDrill).map(({ name }) => name);

/** Returns one section per alert: its condition and meaning, then its fix. */
export const alertSections = (): string[] => alertRules.map(sectionOf);
