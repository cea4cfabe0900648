/** What Superset is given, in the terms of this project; bundle.ts turns it into Superset's own. */

interface Metric {
  /** Name in queries. */
  readonly key: string;
  readonly label: string;
  readonly expression: string;
  /** d3 format of its numbers. */
  readonly format: string;
  readonly about: string;
}

/** A column computed by Superset's queries, not stored in the mart. */
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
  /** Column that date filters apply to; null where a row belongs to no moment. */
  readonly time: string | null;
  readonly metrics: readonly Metric[];
  readonly calculated: readonly Calculated[];
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type Params = Readonly<Record<string, Json>>;

/** What a chart asks, as Superset's chart data endpoint takes it. */
interface ChartQuery {
  readonly columns: readonly Json[];
  readonly metrics: readonly string[];
  readonly orderby: readonly (readonly [string, boolean])[];
  readonly rowLimit: number;
}

/** Keeps rows of which the column does (not) equal a value. */
export interface Condition {
  readonly column: string;
  readonly operator: "==" | "!=";
  readonly value: string;
}

export interface Chart {
  readonly key: string;
  readonly title: string;
  /** Shown beside the title. */
  readonly about: string;
  readonly dataset: Dataset;
  /** Superset's name of the kind of chart. */
  readonly vizType: string;
  readonly params: Params;
  readonly query: ChartQuery;
  readonly only: readonly Condition[];
  /** Why it may show nothing where there are page events; absent where that is an error. */
  readonly emptyUntil?: string;
}
