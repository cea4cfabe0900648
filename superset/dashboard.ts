import * as charts from "./charts/charts.ts";
import { quality, retention, sessions } from "./datasets.ts";
import { assetId } from "./identity.ts";
import { chartsOf, type Place, positionOf, replacement, type Section } from "./layout.ts";
import type { Chart, Dataset } from "./model.ts";

const TITLE = "Clickstream overview";
export const SLUG = "clickstream-overview";
/** Prefix of filter ids, where Superset generates 21 random characters. */
export const FILTER_PREFIX = "NATIVE_FILTER-bi-init-";

const at = (width: number, chart: Chart): Place => ({ chart, width });

const sections: readonly Section[] = [
  {
    title: "What happens",
    rows: [
      {
        height: 22,
        places: [
          at(2, charts.pageEventCount),
          at(2, charts.sessionCount),
          at(2, charts.visitorCount),
          at(2, charts.purchaseCount),
          at(2, charts.conversion),
          at(2, charts.pagesPerSession),
        ],
      },
      { height: 42, places: [at(6, charts.dailyActivity), at(6, charts.hourlyActivity)] },
      { height: 42, places: [at(6, charts.wave), at(6, charts.weekGrid)] },
    ],
  },
  {
    title: "How sessions become purchases, and where they come from",
    rows: [
      {
        height: 48,
        places: [at(4, charts.purchaseFunnel), at(3, charts.sources), at(5, charts.campaigns)],
      },
    ],
  },
  {
    title: "Who visits",
    rows: [
      {
        height: 44,
        places: [at(4, charts.devices), at(4, charts.browsers), at(4, charts.systems)],
      },
      { height: 56, places: [at(8, charts.countries), at(4, charts.topCountries)] },
    ],
  },
  {
    title: "Registered visitors, and who comes back",
    rows: [
      { height: 44, places: [at(6, charts.registeredDaily), at(6, charts.registeredPages)] },
      { height: 44, places: [at(6, charts.retentionCurve), at(6, charts.retentionGrid)] },
    ],
  },
  {
    title: "Whether the data can be trusted",
    rows: [
      {
        height: 52,
        places: [at(6, charts.markers), at(4, charts.layerRows), at(2, charts.orphans)],
      },
    ],
  },
];

export const dashboardCharts: readonly Chart[] = chartsOf(sections);
export const sectionTitles: readonly string[] = sections.map(({ title }) => title);

/** Returns chart ids, without charts of marts that lack the filter's column. */
const idsOf = (...marts: readonly Dataset[]): number[] =>
  dashboardCharts.flatMap((chart, index) =>
    marts.includes(chart.dataset) ? [replacement(index)] : [],
  );

const scopeWithout = (...marts: readonly Dataset[]) => ({
  rootPath: ["ROOT_ID"],
  excluded: idsOf(...marts),
});

const NOTHING_CHOSEN = { extraFormData: {}, filterState: {}, ownState: {} };

const dateFilter = {
  id: `${FILTER_PREFIX}date`,
  type: "NATIVE_FILTER",
  filterType: "filter_time",
  name: "Date (UTC)",
  description:
    "Filters cohorts by whole days of the first session; a range within a day matches none",
  targets: [{}],
  controlValues: { enableEmptyFilter: false },
  defaultDataMask: NOTHING_CHOSEN,
  cascadeParentIds: [],
  scope: scopeWithout(quality),
};

const selectFilter = (key: string, name: string, column: string) => ({
  id: `${FILTER_PREFIX}${key}`,
  type: "NATIVE_FILTER",
  filterType: "filter_select",
  name,
  description: "Does not apply to cohorts and data quality",
  targets: [{ column: { name: column }, datasetUuid: assetId("dataset", sessions.table) }],
  controlValues: {
    enableEmptyFilter: false,
    multiSelect: true,
    defaultToFirstItem: false,
    inverseSelection: false,
    searchAllOptions: false,
  },
  sortMetric: "sessions",
  defaultDataMask: NOTHING_CHOSEN,
  cascadeParentIds: [],
  scope: scopeWithout(quality, retention),
});

/** Dashboard layout with placeholder chart numbers, which the import replaces. */
export const dashboard = {
  dashboard_title: TITLE,
  description: "Current state of the clickstream, from the marts of the layer dm",
  slug: SLUG,
  uuid: assetId("dashboard", SLUG),
  css: "",
  published: true,
  certified_by: "Event Pipeline Stack",
  certification_details: "Created by bi-init, which overwrites it; keep your own changes in a copy",
  position: positionOf(TITLE, sections),
  metadata: {
    color_scheme: "supersetColors",
    // Superset 6.1 would filter by the value of a horizontal bar, which empties the dashboard.
    cross_filters_enabled: false,
    // The batch process runs every five minutes in live mode.
    refresh_frequency: 300,
    timed_refresh_immune_slices: [],
    expanded_slices: {},
    label_colors: {},
    shared_label_colors: [],
    native_filter_configuration: [
      dateFilter,
      selectFilter("source", "Source", "referer_medium"),
      selectFilter("device", "Device", "device_type"),
      selectFilter("country", "Country", "geo_country"),
    ],
    chart_configuration: {},
    global_chart_configuration: { scope: scopeWithout(quality, retention), chartsInScope: [] },
  },
  version: "1.0.0",
};
