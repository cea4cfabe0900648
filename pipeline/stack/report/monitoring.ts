import { typeOf } from "../preview.ts";
import type { Change, Property } from "./changes.ts";

/** `BrokerDown (changed)`: alert rules and dashboards by the names that people know. */
export interface MonitoringMeaning {
  readonly alerts: readonly string[];
  readonly dashboards: readonly string[];
}

const RULES = "grafana:alerting/ruleGroup:RuleGroup";
const DASHBOARD = "grafana:oss/dashboard:Dashboard";

export const meaningOfMonitoring = (changes: readonly Change[]): MonitoringMeaning => ({
  alerts: of(changes, RULES).flatMap(rulesOf),
  dashboards: of(changes, DASHBOARD).map((change) => `${titleOf(change)} (${verbOf(change)})`),
});

const of = (changes: readonly Change[], type: string): Change[] =>
  changes.filter(({ step }) => typeOf(step) === type);

const verbOf = ({ kind }: Change): string =>
  ({ added: "added", deleted: "removed", changed: "changed", replaced: "changed" })[kind];

function rulesOf(change: Change): string[] {
  const whole = change.step.newState ?? change.step.oldState;
  const all = Object.keys((whole?.inputs?.rules as object | undefined) ?? {});
  if (change.kind === "added" || change.kind === "deleted") {
    return all.map((name) => `${name} (${verbOf(change)})`);
  }
  const named = change.properties.flatMap((property) => ruleOf(property));
  // The group's interval or folder is every rule's.
  return named.length > 0 ? named : all.map((name) => `${name} (changed)`);
}

function ruleOf({ path, before, after }: Property): string[] {
  const name = /^rules\["([^"]+)"\]$/.exec(path)?.[1];
  if (name === undefined) return [];
  if (before === undefined) return [`${name} (added)`];
  return [`${name} (${after === undefined ? "removed" : "changed"})`];
}

function titleOf({ name, step }: Change): string {
  const text = (step.newState ?? step.oldState)?.inputs?.configJson;
  try {
    return (JSON.parse(String(text)) as { title?: string }).title ?? name;
  } catch {
    return name;
  }
}
