/** Generates the sections of the alert rules, and the table of drills. */
import { type AlertRule, secondsOf, slugOf } from "../../dashboards/alerts/rule.ts";
import { alertRules } from "../../dashboards/alerts/rules.ts";
import { isCurrent, readDrills } from "../../dashboards/drills/results.ts";
import { valueText } from "../../dashboards/pictures/values.ts";

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

/** Returns one section per alert: its condition and meaning, then its fix. */
export const alertSections = (): string[] => alertRules.map(sectionOf);

/** Times are in seconds: until pending, until firing, and from the recovery until resolved. */
export const DRILL_HEAD = ["alert", "pending, firing, resolved", "on", "date"] as const;

export function drillRows(): string[][] {
  const drills = readDrills();
  return alertRules.map((rule) => {
    const result = drills[rule.name];
    if (!result) return [rule.name, "not drilled", "", ""];
    const { pending, firing, resolved, scale, on, date } = result;
    return [
      rule.name,
      `${pending ?? 0}, ${firing}, ${resolved}`,
      scale === 1 ? on : `${on}, scale ${scale}`,
      isCurrent(rule, result) ? date : `${date}, the rule has changed since`,
    ];
  });
}
