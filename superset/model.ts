/** Types of the dashboard, which bundle.ts converts to Superset's format. */
import type { MartMetric } from "./metrics.ts";

interface Metric extends MartMetric {
  readonly key: string;
}

/** Column that Superset's queries compute. */
export interface CalculatedColumn {
  readonly name: string;
  readonly type: string;
  readonly expression: string;
  readonly description: string;
}

export interface Dataset {
  /** Table or view of the layer dm, and key of the dataset's identity. */
  readonly table: string;
  readonly about: string;
  /** Time column; null if rows have no time. */
  readonly time: string | null;
  readonly metrics: readonly Metric[];
  readonly calculated: readonly CalculatedColumn[];
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
  /** Condition without which the chart is empty; absent if an empty chart is an error. */
  readonly emptyUntil?: string;
}
