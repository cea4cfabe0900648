import * as charts from "../charts/overview.ts";
import { period, quality, retention } from "../datasets.ts";
import { at, dashboard, type Section } from "./dashboard.ts";
import { dateFilter, selectFilter } from "./filters.ts";

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
      { height: 20, places: [at(12, charts.howCurrent)] },
      { height: 42, places: [at(6, charts.dailyActivity), at(6, charts.hourlyActivity)] },
      { height: 42, places: [at(6, charts.wave), at(6, charts.weekGrid)] },
    ],
  },
  {
    title: "How sessions become purchases, and where they come from",
    rows: [
      {
        height: 48,
        places: [at(3, charts.purchaseFunnel), at(4, charts.channels), at(5, charts.campaigns)],
      },
      { height: 44, places: [at(8, charts.revenueDaily), at(4, charts.eventTypes)] },
    ],
  },
  {
    title: "Who visits",
    rows: [
      {
        height: 44,
        places: [at(3, charts.devices), at(5, charts.browsers), at(4, charts.systems)],
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
        places: [at(5, charts.markers), at(4, charts.layerRows), at(3, charts.orphans)],
      },
    ],
  },
];

const unfiltered = [period, quality, retention];

const select = (key: string, name: string, column: string) =>
  selectFilter({
    key,
    name,
    column,
    description: "Does not apply to cohorts and data quality",
    excluded: unfiltered,
  });

/** Current state of the clickstream. */
export const overview = dashboard({
  title: "Clickstream overview",
  slug: "clickstream-overview",
  about: "Current state of the clickstream, from the marts of the layer dm",
  sections,
  filters: [
    dateFilter(
      [period, quality],
      "Filters cohorts by whole days of the first session; a range within a day matches none",
    ),
    select("referrer", "Referrer", "referer_medium"),
    select("device", "Device", "device_type"),
    select("country", "Country", "geo_country"),
    selectFilter({
      key: "site",
      name: "Site",
      column: "site",
      description: "Does not apply to data quality",
      excluded: [period, quality],
    }),
  ],
  // Superset 6.1 would filter by the value of a horizontal bar, which empties the dashboard.
  hasCrossFilters: false,
  unfiltered,
});
