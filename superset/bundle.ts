import { stringify } from "yaml";
import { type Column, columnsOf, labelOf } from "./columns.ts";
import { allCharts, dashboards } from "./dashboards/dashboards.ts";
import { datasets } from "./datasets.ts";
import { assetId } from "./identity.ts";
import type { Chart, Condition, Dataset } from "./model.ts";

const VERSION = "1.0.0";
const SCHEMA = "dm";

export const DATABASE_NAME = "Event Pipeline marts";
export const DATABASE_FILE = "databases/marts.yaml";

export interface MartsAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly user: string;
}

/** Placeholder of Superset for a password that is sent separately. */
const MASKED = "XXXXXXXXXX";

/**
 * Returns the address for clickhouse-connect, whose other scheme `clickhouse+connect` fails to load.
 * Filters use UTC in any server time zone.
 */
export function connectionUri(address: MartsAddress, password = MASKED): string {
  const { host, port, isSecure, user } = address;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const query = new URLSearchParams({
    session_timezone: "UTC",
    ...(isSecure ? { secure: "true" } : {}),
  });
  return `clickhousedb://${login}@${host}:${port}/${SCHEMA}?${query}`;
}

/** Returns path → YAML, without the password. */
export function bundleFiles(address: MartsAddress): Map<string, string> {
  const files: [string, object][] = [
    ["metadata.yaml", { version: VERSION, type: "assets" }],
    [DATABASE_FILE, databaseAsset(address)],
    ...datasets.map((dataset): [string, object] => [
      `datasets/marts/${dataset.table}.yaml`,
      datasetAsset(dataset),
    ]),
    ...allCharts.map((chart): [string, object] => [`charts/${chart.key}.yaml`, chartAsset(chart)]),
    ...dashboards.map(({ slug, asset }): [string, object] => [
      `dashboards/${slug.replaceAll("-", "_")}.yaml`,
      asset,
    ]),
  ];
  return new Map(files.map(([path, asset]) => [path, yaml(asset)]));
}

/** Writes YAML 1.1 for PyYAML, which requires quotes for more words. */
const yaml = (asset: object): string =>
  stringify(asset, { version: "1.1", aliasDuplicateObjects: false });

const databaseAsset = (address: MartsAddress) => ({
  database_name: DATABASE_NAME,
  sqlalchemy_uri: connectionUri(address),
  cache_timeout: null,
  expose_in_sqllab: true,
  allow_run_async: false,
  allow_ctas: false,
  allow_cvas: false,
  allow_dml: false,
  allow_csv_upload: false,
  extra: { allows_virtual_table_explore: true, engine_params: {}, metadata_params: {} },
  uuid: assetId("database", "marts"),
  version: VERSION,
});

const datasetAsset = (dataset: Dataset) => ({
  table_name: dataset.table,
  schema: SCHEMA,
  catalog: null,
  description: dataset.about,
  main_dttm_col: dataset.time,
  cache_timeout: null,
  sql: null,
  filter_select_enabled: true,
  normalize_columns: false,
  always_filter_main_dttm: false,
  uuid: assetId("dataset", dataset.table),
  database_uuid: assetId("database", "marts"),
  columns: [
    ...columnsOf(dataset.table).map(columnAsset),
    ...dataset.calculated.map((column) =>
      columnAsset({ ...column, label: labelOf(column.name), isTime: false }),
    ),
  ],
  metrics: dataset.metrics.map(({ key, label, expression, format, about }) => ({
    metric_name: key,
    verbose_name: label,
    metric_type: null,
    expression,
    description: about,
    d3format: format,
    extra: null,
    warning_text: null,
  })),
  version: VERSION,
});

const columnAsset = ({ name, label, type, description, expression, isTime }: Column) => ({
  column_name: name,
  verbose_name: label,
  type,
  is_dttm: isTime,
  is_active: true,
  groupby: true,
  filterable: true,
  expression,
  description,
  python_date_format: null,
  extra: null,
});

const chartAsset = (chart: Chart) => ({
  slice_name: chart.title,
  description: chart.about,
  viz_type: chart.vizType,
  params: paramsOf(chart),
  query_context: JSON.stringify(queryContext(chart)),
  cache_timeout: null,
  certified_by: null,
  certification_details: null,
  uuid: assetId("chart", chart.key),
  dataset_uuid: assetId("dataset", chart.dataset.table),
  version: VERSION,
});

const paramsOf = ({ params, vizType, dataset, only }: Chart) => ({
  ...params,
  viz_type: vizType,
  // World maps still use the older API, with this name for the time column.
  ...(dataset.time ? { granularity_sqla: dataset.time, time_range: "No filter" } : {}),
  adhoc_filters: [
    ...(dataset.time ? [wholeRange(dataset.time)] : []),
    ...only.map((condition) => conditionFilter(condition)),
  ],
  annotation_layers: [],
  extra_form_data: {},
});

const wholeRange = (time: string) => ({
  clause: "WHERE",
  expressionType: "SIMPLE",
  subject: time,
  operator: "TEMPORAL_RANGE",
  comparator: "No filter",
});

const conditionFilter = ({ column, operator, value }: Condition) => ({
  clause: "WHERE",
  expressionType: "SIMPLE",
  subject: column,
  operator,
  operatorId: operator === "==" ? "EQUALS" : "NOT_EQUALS",
  comparator: value,
});

/** Returns the chart's query for API clients; the dashboard uses the chart's settings. */
const queryContext = (chart: Chart) => ({
  datasource: { id: 0, type: "table" },
  force: false,
  queries: [
    {
      columns: chart.query.columns,
      metrics: chart.query.metrics,
      orderby: chart.query.orderby,
      row_limit: chart.query.rowLimit,
      filters: [
        ...(chart.dataset.time
          ? [{ col: chart.dataset.time, op: "TEMPORAL_RANGE", val: "No filter" }]
          : []),
        ...chart.only.map(({ column, operator, value }) => ({
          col: column,
          op: operator,
          val: value,
        })),
      ],
      extras: { having: "", where: "" },
      annotation_layers: [],
      applied_time_extras: {},
      url_params: {},
      custom_params: {},
      custom_form_data: {},
    },
  ],
  form_data: paramsOf(chart),
  result_format: "json",
  result_type: "full",
});
