import type { Chart, Condition, Dataset, Params } from "../model.ts";

interface Common {
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

/** The format of every date: "1 Jan", which has room below each bar of a week. */
const DAY = "%-d %b";
const TIME_FORMATS = { PT1M: "%H:%M", PT1H: `${DAY}, %H:%M`, P1D: DAY } as const;

function chart({ only = [], ...common }: Common, built: Built): Chart {
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
function metricOf(dataset: Dataset, key: string) {
  const found = dataset.metrics.find((metric) => metric.key === key);
  if (!found) throw new Error(`The dataset ${dataset.table} has no metric ${key}`);
  return found;
}

const axis = (column: string, metrics: readonly string[], series?: string): Params => ({
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

const formatOf = (dataset: Dataset, metrics: readonly string[]): string =>
  metricOf(dataset, metrics[0] ?? "").format;

export const about = (
  key: string,
  title: string,
  dataset: Dataset,
  text: string,
  more: Pick<Common, "only" | "emptyUntil"> = {},
): Common => ({ key, title, dataset, about: text, ...more });

/** Condition without skewed clocks. */
export const RIGHT_CLOCK = { column: "clock", operator: "==", value: "right" } as const;
/** Conditions of charts by hour and by day, whose first and last bar would look like a loss; the headlines include skewed clocks. */
export const IN_WHOLE_HOURS = {
  only: [RIGHT_CLOCK, { column: "hour", operator: "==", value: "whole" }],
} as const;
export const ON_WHOLE_DAYS = {
  only: [RIGHT_CLOCK, { column: "day", operator: "==", value: "whole" }],
} as const;

export function number(common: Common, metric: string): Chart {
  const { format, about } = metricOf(common.dataset, metric);
  return chart(common, {
    vizType: "big_number_total",
    params: {
      metric,
      y_axis_format: format,
      subtitle: about,
      header_font_size: 0.4,
      subtitle_font_size: 0.125,
    },
    columns: [],
    metrics: [metric],
  });
}

interface OverTime {
  readonly as: "bar" | "line" | "area";
  /** Duration of one point, in ISO format. */
  readonly grain: "PT1M" | "PT1H" | "P1D";
  readonly metrics: readonly string[];
  readonly series?: string;
}

const TIME_KINDS = {
  bar: "echarts_timeseries_bar",
  line: "echarts_timeseries_line",
  area: "echarts_area",
} as const;

export function overTime(common: Common, { as, grain, metrics, series }: OverTime): Chart {
  const { time } = common.dataset;
  if (!time) throw new Error(`The dataset ${common.dataset.table} has no time`);
  return chart(common, {
    vizType: TIME_KINDS[as],
    params: {
      ...axis(time, metrics, series),
      time_grain_sqla: grain,
      stack: as === "area" || (as === "bar" && series) ? "Stack" : null,
      opacity: 0.6,
      x_axis_time_format: TIME_FORMATS[grain],
      tooltipTimeFormat: TIME_FORMATS[grain],
      y_axis_format: formatOf(common.dataset, metrics),
      show_legend: metrics.length > 1 || series !== undefined,
      // At the top a long list of series would be cut into pages.
      legendOrientation: series && as !== "area" ? "right" : "top",
    },
    columns: [{ ...axisColumn(time), timeGrain: grain }, ...(series ? [series] : [])],
    metrics,
  });
}

interface ByCategory {
  readonly category: string;
  readonly metric: string;
  readonly limit: number;
  /** Default: `metric`, the largest value first. */
  readonly order?: "category";
  readonly horizontal?: true;
  readonly showValues?: true;
  readonly series?: string;
  /** Whether the labels of vertical bars need more room than the bars. */
  readonly hasLongLabels?: boolean;
  /** Meaning of a category that is a number. */
  readonly axisTitle?: string;
}

export function bars(common: Common, options: ByCategory): Chart {
  const {
    category,
    metric,
    limit,
    order,
    horizontal,
    showValues,
    series,
    hasLongLabels,
    axisTitle,
  } = options;
  const byMetric = order !== "category";
  return chart(common, {
    vizType: "echarts_timeseries_bar",
    params: {
      ...axis(category, [metric], series),
      xAxisForceCategorical: true,
      orientation: horizontal ? "horizontal" : "vertical",
      // Superset sorts a single series by a column, and several by sum or name.
      x_axis_sort: series ? (byMetric ? "sum" : "name") : byMetric ? metric : category,
      x_axis_sort_asc: byMetric ? horizontal === true : true,
      stack: series ? "Stack" : null,
      y_axis_format: horizontal ? "SMART_NUMBER" : formatOf(common.dataset, [metric]),
      // Superset would leave out labels that it has no room for.
      ...(hasLongLabels && { xAxisLabelInterval: "0", xAxisLabelRotation: 30 }),
      ...(axisTitle && { x_axis_title: axisTitle, x_axis_title_margin: 30 }),
      show_value: showValues === true,
      show_legend: series !== undefined,
      order_desc: true,
    },
    columns: [axisColumn(category), ...(series ? [series] : [])],
    metrics: [metric],
    orderby: byMetric ? [[metric, false]] : [[category, true]],
    rowLimit: limit,
  });
}

interface Grid {
  readonly x: string;
  readonly y: string;
  readonly metric: string;
  readonly showValues?: true;
  readonly yDescending?: true;
}

export const grid = (common: Common, { x, y, metric, showValues, yDescending }: Grid): Chart =>
  chart(common, {
    vizType: "heatmap_v2",
    params: {
      x_axis: x,
      groupby: y,
      metric,
      normalize_across: "heatmap",
      legend_type: "continuous",
      linear_color_scheme: "superset_seq_1",
      sort_x_axis: "alpha_asc",
      sort_y_axis: yDescending ? "alpha_desc" : "alpha_asc",
      x_axis_time_format: DAY,
      y_axis_format: formatOf(common.dataset, [metric]),
      show_legend: true,
      show_percentage: false,
      show_values: showValues === true,
      value_bounds: [null, null],
      xscale_interval: -1,
      yscale_interval: -1,
      // This margin is added to that of the labels; "auto" truncates labels.
      left_margin: 20,
      bottom_margin: 20,
    },
    columns: [axisColumn(x), y],
    metrics: [metric],
  });

interface Rows {
  readonly columns: readonly string[];
  /** The first one orders the rows, the largest value first. */
  readonly metrics: readonly string[];
  /** Default: 50. */
  readonly limit?: number;
  /** Orders by the smallest value first. */
  readonly isAscending?: true;
  /** The metric with bars in its cells; default: the first one. */
  readonly withBars?: string | null;
}

export const rows = (
  common: Common,
  { columns, metrics, limit = 50, isAscending, withBars }: Rows,
): Chart => {
  const [first = ""] = metrics;
  const barred = withBars === undefined ? first : withBars;
  return chart(common, {
    vizType: "table",
    params: {
      query_mode: "aggregate",
      groupby: [...columns],
      metrics: [...metrics],
      timeseries_limit_metric: first,
      order_desc: isAscending !== true,
      table_timestamp_format: DAY,
      show_cell_bars: true,
      color_pn: false,
      column_config: Object.fromEntries(
        metrics.map((key) => [
          key,
          { d3NumberFormat: metricOf(common.dataset, key).format, showCellBars: key === barred },
        ]),
      ),
    },
    columns,
    metrics,
    orderby: [[first, isAscending === true]],
    rowLimit: limit,
  });
};

export const worldMap = (common: Common, country: string, metric: string): Chart =>
  chart(common, {
    vizType: "world_map",
    params: {
      entity: country,
      country_fieldtype: "cca2",
      metric,
      show_bubbles: false,
      color_by: "metric",
      linear_color_scheme: "schemeBlues",
      sort_by_metric: true,
      y_axis_format: formatOf(common.dataset, [metric]),
    },
    columns: [country],
    metrics: [metric],
    orderby: [[metric, false]],
  });
