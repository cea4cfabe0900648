type Unit = "percent" | "bytes" | "s" | "reqps" | "ops" | "cpm" | "bool";

export interface Signal {
  readonly name: string;
  /** Meaning of the value, and the action for a bad value. */
  readonly meaning: string;
  /** Default: a plain number. */
  readonly unit?: Unit;
  /** PromQL without variables, so that tests can run it unchanged. */
  readonly expr: string;
  /** Series name in Grafana's form `{{label}}`. */
  readonly legend: string;
  /** Reason for missing data in normal operation. */
  readonly emptyWhen?: string;
}

export const signals = <K extends string>(table: Record<K, Signal>): Record<K, Signal> => table;
