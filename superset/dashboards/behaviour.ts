import * as charts from "../charts/behaviour.ts";
import { attribution, funnelInAnyOrder, funnelInOrder, pageViews, truth } from "../datasets.ts";
import { at, dashboard, type Section } from "./dashboard.ts";
import { dateFilter, selectFilter } from "./filters.ts";

const sections: readonly Section[] = [
  {
    title: "How visitors differ",
    rows: [
      {
        height: 22,
        places: [
          at(3, charts.purchaseRate),
          at(3, charts.bounceRate),
          at(3, charts.engagedMinutes),
          at(3, charts.sessionsPerVisitor),
        ],
      },
      { height: 48, places: [at(7, charts.rateByChannel), at(5, charts.rateByDevice)] },
      { height: 48, places: [at(12, charts.rateByBrowser)] },
    ],
  },
  {
    title: "Whether the experiment worked, and who comes back",
    rows: [{ height: 44, places: [at(6, charts.experiment), at(6, charts.rateBySessionNumber)] }],
  },
  {
    title: "Ground truth, if the generator published it",
    rows: [
      {
        height: 56,
        places: [at(3, charts.intervalsWithTruth), at(9, charts.truthBesideEstimates)],
      },
    ],
  },
  {
    title: "What brings them, and where they land",
    rows: [
      { height: 48, places: [at(7, charts.campaignResults), at(5, charts.landingPages)] },
      { height: 48, places: [at(12, charts.attributionModels)] },
    ],
  },
  {
    title: "What they do",
    rows: [
      { height: 44, places: [at(6, charts.orderedFunnel), at(6, charts.unorderedFunnel)] },
      { height: 48, places: [at(12, charts.pages)] },
    ],
  },
];

/** Marts that are already counted, without the columns of sessions. */
const counted = [funnelInOrder, funnelInAnyOrder, attribution, truth];

const select = (key: string, name: string, column: string) =>
  selectFilter({
    key,
    name,
    column,
    description: "Narrows the charts of sessions and pages",
    excluded: counted,
  });

/** Differences between groups of sessions. */
export const behaviour = dashboard({
  title: "Behaviour and experiments",
  slug: "behaviour-and-experiments",
  about:
    "How groups of visitors differ; a click on a bar or a row filters the other charts of sessions",
  sections,
  filters: [
    dateFilter([attribution, truth], "Attribution and ground truth count all days"),
    select("channel", "Channel", "channel"),
    select("device", "Device", "device_type"),
    select("country", "Country", "geo_country"),
    selectFilter({
      key: "site",
      name: "Site",
      column: "site",
      description: "Does not apply to the ground truth",
      excluded: [truth],
    }),
  ],
  hasCrossFilters: true,
  unfiltered: [...counted, pageViews],
});
