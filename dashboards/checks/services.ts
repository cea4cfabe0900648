import { setTimeout as sleep } from "node:timers/promises";
import { isOwnUid, uidOfName } from "../alerts/rule.ts";
import type { Monitoring } from "./endpoints.ts";
import { grafanaRules } from "./grafana.ts";
import { ruleNames, targetsOf } from "./prometheus.ts";

export interface ServicesCheck {
  /** Last error of each target that is down, by job. */
  readonly down: ReadonlyMap<string, string>;
  readonly rules: readonly string[];
  /** Missing and obsolete rules, except rules of users; null without Grafana. */
  readonly grafana: GrafanaRules | null;
}

interface GrafanaRules {
  readonly present: readonly string[];
  readonly missing: readonly string[];
  readonly stale: readonly string[];
}

const POLL_MS = 2_000;

/** Checks targets and rules; waits at most `withinMs` for all targets to be up. */
export async function checkMonitoring(
  monitoring: Monitoring,
  withinMs: number,
): Promise<ServicesCheck> {
  let down = await downTargets(monitoring.metricsUrl);
  for (const deadline = Date.now() + withinMs; down.size > 0 && Date.now() < deadline; ) {
    await sleep(POLL_MS);
    down = await downTargets(monitoring.metricsUrl);
  }
  const rules = await ruleNames(monitoring.metricsUrl);
  return {
    down,
    rules,
    grafana: monitoring.grafana
      ? compare(rules.map(uidOfName), await grafanaRules(monitoring.grafana))
      : null,
  };
}

function compare(expected: readonly string[], uids: readonly string[]): GrafanaRules {
  const present = uids.filter(isOwnUid);
  return {
    present,
    missing: expected.filter((uid) => !present.includes(uid)),
    stale: present.filter((uid) => !expected.includes(uid)),
  };
}

async function downTargets(url: string): Promise<Map<string, string>> {
  const targets = await targetsOf(url);
  return new Map(
    targets
      .filter(({ health }) => health !== "up")
      .map(({ labels, lastError, health }) => [labels.job ?? "", lastError || health]),
  );
}
