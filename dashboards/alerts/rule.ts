import type { Job } from "../promql.ts";
import type { Signal } from "../signal.ts";

type Severity = "critical" | "warning";

/** A value the drill hands to Prometheus as if the service had said it. */
export interface FedSample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `now`: seconds added to the wall clock. */
  readonly value: number | { readonly now: number };
  /** Growth per second of the drill, for counters. */
  readonly perSecond?: number;
}

/** What breaks exactly one thing; healing is undoing it. */
export type Drill =
  | { readonly kind: "stop"; readonly service: "broker" | "generator" }
  | { readonly kind: "bad-query" }
  | { readonly kind: "feed"; readonly job: Job; readonly samples: readonly FedSample[] };

export interface AlertRule {
  /** Name at Prometheus and in Grafana's title; with `eps-` before it in kebab-case, the uid. */
  readonly name: string;
  /** Rules of one group are evaluated together; the part of the stack they watch. */
  readonly group: Job;
  readonly severity: Severity;
  readonly signal: Signal;
  readonly fires: { readonly when: "above" | "below"; readonly threshold: number };
  /** How long it must last, in Prometheus' form. */
  readonly for: `${number}${"s" | "m"}`;
  /** What it means that the query gives nothing: `alert` where the watched thing itself is then gone. */
  readonly noData: "ok" | "alert";
  /** One sentence around the value; a label as the templates of Prometheus and Grafana name it. */
  readonly summary: (value: string) => string;
  /** What it means and what to know of it, for docs/monitoring.md alone; Markdown. */
  readonly about?: string;
  /** What to do, with the next command; goes with every alert, so that nobody needs a page to act. */
  readonly hint: string;
  /** Dashboard where it is looked into. */
  readonly dashboard: string;
  readonly drill: Drill;
  /** One of those the specification names. */
  readonly isSpecified: boolean;
}

/** A label of the series that fires, in a summary. */
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
/** Whether a rule in Grafana is the stack's, and not one that somebody made there. */
export const isOwnUid = (uid: string): boolean => uid.startsWith(OWN);
