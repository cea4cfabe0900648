import { type AlertRule, slugOf } from "../alerts/rule.ts";
import { RUNBOOK } from "../uids.ts";

/**
 * What goes with every alert, the same from Prometheus and Grafana.
 * @param value the alert's value, as a template of whoever sends it
 * @param runbook address of the page with the fixes; without one its path in the project is told
 * under another name, so that nothing takes it for a link
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
