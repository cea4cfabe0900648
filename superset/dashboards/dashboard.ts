import { assetId } from "../identity.ts";
import { chartsOf, type Place, positionOf, replacement, type Section } from "../layout.ts";
import type { Chart, Dataset } from "../model.ts";
import type { Filter } from "./filters.ts";

export interface DashboardOptions {
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  readonly sections: readonly Section[];
  readonly filters: readonly Filter[];
  /** Whether a click on a chart filters the others. */
  readonly hasCrossFilters: boolean;
  /** Datasets that a click leaves unfiltered. */
  readonly unfiltered: readonly Dataset[];
}

/** A dashboard with its charts, and its asset, in which the import replaces chart numbers. */
export type Dashboard = ReturnType<typeof dashboard>;

export const at = (width: number, chart: Chart): Place => ({ chart, width });

/** Excludes charts of datasets that lack the filter's column. */
const scopeWithout = (charts: readonly Chart[], excluded: readonly Dataset[]) => ({
  rootPath: ["ROOT_ID"],
  excluded: charts.flatMap((chart, index) =>
    excluded.includes(chart.dataset) ? [replacement(index)] : [],
  ),
});

export function dashboard(options: DashboardOptions) {
  const { title, slug, about, sections } = options;
  const charts: readonly Chart[] = chartsOf(sections);
  const asset = {
    dashboard_title: title,
    description: about,
    slug,
    uuid: assetId("dashboard", slug),
    css: "",
    published: true,
    certified_by: "Event Pipeline Stack",
    certification_details:
      "Created by bi-init, which overwrites it; keep your own changes in a copy",
    position: positionOf(title, sections),
    metadata: metadataOf(options, charts),
    version: "1.0.0",
  };
  return { slug, charts, sectionTitles: sections.map((section) => section.title), asset };
}

const metadataOf = (
  { filters, hasCrossFilters, unfiltered }: DashboardOptions,
  charts: readonly Chart[],
) => ({
  color_scheme: "supersetColors",
  cross_filters_enabled: hasCrossFilters,
  // The batch process runs every five minutes in live mode.
  refresh_frequency: 300,
  timed_refresh_immune_slices: [],
  expanded_slices: {},
  label_colors: {},
  shared_label_colors: [],
  native_filter_configuration: filters.map(({ excluded, ...filter }) => ({
    ...filter,
    scope: scopeWithout(charts, excluded),
  })),
  chart_configuration: {},
  global_chart_configuration: { scope: scopeWithout(charts, unfiltered), chartsInScope: [] },
});
