import type { Change, Inputs } from "./changes.ts";

/** Names with their change, e.g. `BrokerDown (changed)`. */
export interface MonitoringImpact {
  readonly alerts: readonly string[];
  readonly dashboards: readonly string[];
}

const RULES = "grafana:alerting/ruleGroup:RuleGroup";
const DASHBOARD = "grafana:oss/dashboard:Dashboard";

export const monitoringImpact = (changes: readonly Change[]): MonitoringImpact => ({
  alerts: changes.filter(({ type }) => type === RULES).flatMap(rulesOf),
  dashboards: changes
    .filter(({ type, kind }) => type === DASHBOARD && kind !== "unchanged")
    .map((change) => verdict(titleOf(change), change.before, change.after)),
});

const verdict = (name: string, before: unknown, after: unknown): string => {
  if (before === undefined) return `${name} (added)`;
  return `${name} (${after === undefined ? "removed" : "changed"})`;
};

function rulesOf({ before, after }: Change): string[] {
  const [old, now] = [rulesByName(before), rulesByName(after)];
  // The group's interval and folder are part of each of its rules.
  const isGroupChanged = before && after && groupOf(before) !== groupOf(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => isGroupChanged || old.get(name) !== now.get(name))
    .map((name) => verdict(name, old.get(name), now.get(name)));
}

/** Returns rules by name; Pulumi's preview has a list, a recorded program an object. */
function rulesByName(inputs: Inputs | undefined): Map<string, string> {
  const rules = Object.values((inputs?.rules ?? {}) as Record<string, { readonly name: string }>);
  return new Map(rules.map((rule) => [rule.name, JSON.stringify(rule)]));
}

const groupOf = ({ rules: _, ...group }: Inputs): string => JSON.stringify(group);

function titleOf({ name, before, after }: Change): string {
  try {
    const { title } = JSON.parse(String((after ?? before)?.configJson)) as { title?: string };
    return title ?? name;
  } catch {
    return name;
  }
}
