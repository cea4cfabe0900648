import type { Job } from "../promql.ts";
import type { Signal } from "../signal.ts";

type Severity = "critical" | "warning";

export interface FedSample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `now`: seconds added to the wall clock. */
  readonly value: number | { readonly now: number };
  /** Growth per second of the drill, for counters. */
  readonly perSecond?: number;
}

/** How a drill triggers the alert; each kind breaks exactly one thing. */
export type Drill =
  | { readonly kind: "stop"; readonly service: "broker" | "generator" }
  | { readonly kind: "bad-query" }
  | { readonly kind: "feed"; readonly job: Job; readonly samples: readonly FedSample[] };

export interface AlertRule {
  /** Name in Prometheus and title in Grafana; the uid is `eps-` and this in kebab-case. */
  readonly name: string;
  /** Prometheus evaluates the rules of a group together. */
  readonly group: Job;
  readonly severity: Severity;
  readonly signal: Signal;
  readonly fires: { readonly when: "above" | "below"; readonly threshold: number };
  /** How long the condition must last, as a Prometheus duration. */
  readonly for: `${number}${"s" | "m"}`;
  /** State without data: `alert` where no data means that the watched service is down. */
  readonly noData: "ok" | "alert";
  /** One sentence around the value; labels in the template syntax of Prometheus and Grafana. */
  readonly summary: (value: string) => string;
  /** Meaning of the alert for docs/monitoring.md, as Markdown. */
  readonly about?: string;
  /** Next command; sent with every alert. */
  readonly hint: string;
  readonly dashboard: string;
  readonly drill: Drill;
  readonly isSpecified: boolean;
}

export const label = (name: string): string => `{{ $labels.${name} }}`;

/** `5m` → 300 */
export const secondsOf = (duration: AlertRule["for"]): number =>
  Number.parseInt(duration, 10) * (duration.endsWith("m") ? 60 : 1);

/** `BrokerDown` → `broker-down`. */
export const slugOf = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

const OWN = "eps-";
export const uidOfName = (name: string): string => `${OWN}${slugOf(name)}`;
export const uidOf = ({ name }: AlertRule): string => uidOfName(name);
export const isOwnUid = (uid: string): boolean => uid.startsWith(OWN);
