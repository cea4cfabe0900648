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

export interface Signal {
  readonly name: string;
  /** Meaning of the value, and the action for a bad value. */
  readonly meaning: string;
  readonly unit: Unit;
  /** `level`: current state; `rate`: per unit of time; `total`: since the start. */
  readonly type: "level" | "rate" | "total";
  /** PromQL without variables, so that tests can run it unchanged. */
  readonly expr: string;
  /** Series name in Grafana's form `{{label}}`. */
  readonly legend: string;
  /** Reason for missing data in normal operation. */
  readonly emptyWhen?: string;
}

export const signals = <K extends string>(table: Record<K, Signal>): Record<K, Signal> => table;
