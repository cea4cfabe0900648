import type { Job } from "../promql.ts";
import type { Signal } from "../signal.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

type Severity = "critical" | "warning";

/** Trigger of a drill; each kind breaks exactly one thing. */
type Drill =
  | {
      readonly kind: "stop";
      readonly service: "broker" | "generator" | "scheduler";
      /** True to send the collector a bad hit, which waits and gives no event. Default: false. */
      readonly sendsHit?: true;
    }
  | { readonly kind: "bad-query" };

export interface AlertRule {
  /** Name in Prometheus and title in Grafana; in kebab-case after `eps-`, also the uid. */
  readonly name: string;
  /** Prometheus evaluates the rules of a group together. */
  readonly group: Job;
  readonly severity: Severity;
  readonly signal: Signal;
  /** Signal of the panel to which the alert leads, if its own is on none. */
  readonly seenIn?: Signal;
  readonly fires: { readonly when: "above" | "below"; readonly threshold: number };
  /** Minimum duration of the condition, as a Prometheus duration. */
  readonly for: `${number}${"s" | "m"}`;
  /** State without data: `alert` if missing data means that the watched service is down. */
  readonly noData: "ok" | "alert";
  /**
   * Returns one sentence with the value; labels are in Prometheus's and Grafana's template syntax.
   */
  readonly summary: (value: string) => string;
  /** Meaning of the alert for docs/reference/metrics-and-alerts.md, as Markdown. */
  readonly about?: string;
  /** Next command, which every alert contains. */
  readonly hint: string;
  readonly dashboard: string;
  /** A real interruption that causes the alert, if a running stack can have it without damage. */
  readonly drill?: Drill;
}

type Defaults = Pick<AlertRule, "group" | "noData" | "dashboard">;

/** Completes the rules of a group. Missing data do not alert, and the dashboard is the group's, by default. */
export const rulesOf = (
  group: keyof typeof DASHBOARD_UIDS,
  rules: readonly (Omit<AlertRule, keyof Defaults> & Partial<Omit<Defaults, "group">>)[],
): AlertRule[] =>
  rules.map((rule) => ({ group, noData: "ok", dashboard: DASHBOARD_UIDS[group], ...rule }));

export const label = (name: string): string => `{{ $labels.${name} }}`;

/** Converts a duration to seconds: `5m` → 300. */
export const secondsOf = (duration: AlertRule["for"]): number =>
  Number.parseInt(duration, 10) * (duration.endsWith("m") ? 60 : 1);

/** Converts a name to kebab-case: `BrokerDown` → `broker-down`. */
export const slugOf = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

const OWN = "eps-";
export const uidOfName = (name: string): string => `${OWN}${slugOf(name)}`;
export const uidOf = ({ name }: AlertRule): string => uidOfName(name);
export const isOwnUid = (uid: string): boolean => uid.startsWith(OWN);
