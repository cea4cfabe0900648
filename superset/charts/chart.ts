import type { Chart, Condition, Dataset, Params } from "../model.ts";

export interface Common {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly dataset: Dataset;
  readonly only?: readonly Condition[];
  readonly emptyUntil?: string;
}

type Built = Pick<Chart, "vizType" | "params"> & {
  readonly columns: Chart["query"]["columns"];
  readonly metrics: readonly string[];
  readonly orderby?: Chart["query"]["orderby"];
  readonly rowLimit?: number;
};

const ROWS = 10_000;

export function chart({ only = [], ...common }: Common, built: Built): Chart {
  const { vizType, params, columns, metrics, orderby = [], rowLimit = ROWS } = built;
  return {
    ...common,
    only,
    vizType,
    params: {
      color_scheme: "supersetColors",
      row_limit: rowLimit,
      ...params,
    },
    query: { columns, metrics, orderby, rowLimit },
  };
}

/** Returns a metric of the dataset. @throws Error for an unknown key */
export function metricOf(dataset: Dataset, key: string) {
  const found = dataset.metrics.find((metric) => metric.key === key);
  if (!found) throw new Error(`The dataset ${dataset.table} has no metric ${key}`);
  return found;
}

export const axis = (column: string, metrics: readonly string[], series?: string): Params => ({
  x_axis: column,
  metrics: [...metrics],
  groupby: series ? [series] : [],
  order_desc: true,
  rich_tooltip: true,
  showTooltipTotal: false,
  truncate_metric: true,
  show_empty_columns: true,
  only_total: true,
});

export const axisColumn = (column: string) => ({
  columnType: "BASE_AXIS",
  expressionType: "SQL",
  sqlExpression: column,
  label: column,
  isColumnReference: true,
});

export const formatOf = (dataset: Dataset, metrics: readonly string[]): string =>
  metricOf(dataset, metrics[0] ?? "").format;
