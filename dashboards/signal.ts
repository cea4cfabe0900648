/** How Grafana shows a value; its own names of units. */
type Unit =
  | "short"
  | "percent"
  | "bytes"
  | "s"
  | "reqps"
  | "ops"
  | "Bps"
  | "cpm"
  | "bool"
  | "dateTimeFromNow";

/** One thing worth knowing, told once: panels draw it and alert rules judge it. */
export interface Signal {
  readonly name: string;
  /** Why it matters, and what to do when it is not as it should be. */
  readonly meaning: string;
  readonly unit: Unit;
  /** `level`: a state now; `rate`: per time; `total`: since a beginning. */
  readonly type: "level" | "rate" | "total";
  /** PromQL without variables, so that tests can ask it as it is. */
  readonly expr: string;
  /** How its series are called, in Grafana's form `{{label}}`. */
  readonly legend: string;
  /** Why it may give no data though nothing is wrong. */
  readonly emptyWhen?: string;
}

/** Keeps the literal keys of a table of signals. */
export const signals = <K extends string>(table: Record<K, Signal>): Record<K, Signal> => table;
