/** bundle.ts converts it to Superset's format. */

interface Metric {
  readonly key: string;
  readonly label: string;
  readonly expression: string;
  readonly format: string;
  readonly about: string;
}

/** Computed by Superset's queries, not stored in the mart. */
export interface Calculated {
  readonly name: string;
  readonly type: string;
  readonly expression: string;
  readonly description: string;
}

export interface Dataset {
  /** Table or view of the layer dm; also the key of its identity. */
  readonly table: string;
  readonly about: string;
  /** Null if rows have no time. */
  readonly time: string | null;
  readonly metrics: readonly Metric[];
  readonly calculated: readonly Calculated[];
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type Params = Readonly<Record<string, Json>>;

interface ChartQuery {
  readonly columns: readonly Json[];
  readonly metrics: readonly string[];
  readonly orderby: readonly (readonly [string, boolean])[];
  readonly rowLimit: number;
}

export interface Condition {
  readonly column: string;
  readonly operator: "==" | "!=";
  readonly value: string;
}

export interface Chart {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly dataset: Dataset;
  readonly vizType: string;
  readonly params: Params;
  readonly query: ChartQuery;
  readonly only: readonly Condition[];
  /** Why the chart may be empty although there are page events; absent if that is an error. */
  readonly emptyUntil?: string;
}
