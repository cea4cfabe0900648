import { type AlertRule, slugOf } from "../alerts/rule.ts";
import { RUNBOOK } from "../uids.ts";

/**
 * Annotations of an alert, the same in Prometheus and Grafana.
 * @param value the alert's value, as a template of the sender
 * @param runbook address of the runbook; without one, its path in the project is in `runbook`, which
 * no tool renders as a link
 */
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
