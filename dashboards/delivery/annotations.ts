import { type AlertRule, slugOf } from "../alerts/rule.ts";
import { RUNBOOK } from "../uids.ts";

/** Returns the same annotations for Prometheus and Grafana. @param runbook address, if any */
export function annotationsOf(
  rule: AlertRule,
  value: string,
  runbook: string | undefined,
): Record<string, string> {
  const anchor = `#${slugOf(rule.name)}`;
  return {
    summary: rule.summary(value),
    hint: rule.hint,
    ...(runbook ? { runbook_url: runbook + anchor } : { runbook: RUNBOOK + anchor }),
  };
}
