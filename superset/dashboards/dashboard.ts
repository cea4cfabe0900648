import { LIVE_LOAD_SECONDS } from "../../contract/schedule.ts";
import { assetId } from "../identity.ts";
import type { Chart, Dataset } from "../model.ts";
import type { Filter } from "./filters.ts";

/** Position: width in twelfths, height in steps of 8 pixels. */
interface Place {
  readonly chart: Chart;
  readonly width: number;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly { readonly height: number; readonly places: readonly Place[] }[];
}

export interface DashboardOptions {
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  /** Default: what the loads of live mode change. */
  readonly refreshSeconds?: number;
  readonly sections: readonly Section[];
  readonly filters: readonly Filter[];
  /** Whether a click on a chart filters the others. */
  readonly hasCrossFilters: boolean;
  /** Datasets that a click leaves unfiltered. */
  readonly unfiltered: readonly Dataset[];
}

/** A dashboard with its charts, and its asset, in which the import replaces chart numbers. */
export type Dashboard = ReturnType<typeof dashboard>;

/** Superset fits each text of a figure into its tile, so that no two would have the same size. */
const CSS = `.header-line { font-size: 36px !important; height: auto !important; }
.subtitle-line { font-size: 13px !important; height: auto !important; line-height: 1.3 !important; white-space: normal; }
.superset-legacy-chart-big-number { justify-content: flex-start !important; }
`;

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
    css: CSS,
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
  { filters, hasCrossFilters, unfiltered, refreshSeconds }: DashboardOptions,
  charts: readonly Chart[],
) => ({
  color_scheme: "supersetColors",
  cross_filters_enabled: hasCrossFilters,
  refresh_frequency: refreshSeconds ?? 2 * LIVE_LOAD_SECONDS,
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

interface Node {
  readonly id: string;
  readonly type: string;
  readonly children: readonly string[];
  readonly parents: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

type Position = Readonly<Record<string, Node | string>>;

const ROOT = "ROOT_ID";
const GRID = "GRID_ID";
const PAGE_TITLE = "HEADER_ID";

/** Returns a placeholder id below all chart numbers, which the import replaces. */
const replacement = (index: number): number => -1 - index;

const chartsOf = (sections: readonly Section[]): Chart[] =>
  sections.flatMap(({ rows }) => rows.flatMap(({ places }) => places.map(({ chart }) => chart)));

function positionOf(title: string, sections: readonly Section[]): Position {
  const charts = chartsOf(sections);
  const nodes: Node[] = sections.flatMap((section, index) => [
    header(section.title, index),
    ...section.rows.flatMap((row, line) => rowNodes(row, `ROW-${index}-${line}`, charts)),
  ]);
  const children = nodes.filter(({ parents }) => parents.length === 2).map(({ id }) => id);
  const frame: Node[] = [
    { id: ROOT, type: "ROOT", children: [GRID], parents: [] },
    { id: GRID, type: "GRID", children, parents: [ROOT] },
    { id: PAGE_TITLE, type: "HEADER", children: [], parents: [], meta: { text: title } },
  ];
  return {
    DASHBOARD_VERSION_KEY: "v2",
    ...Object.fromEntries([...frame, ...nodes].map((node) => [node.id, node])),
  };
}

const header = (text: string, index: number): Node => ({
  id: `HEADER-${index}`,
  type: "HEADER",
  children: [],
  parents: [ROOT, GRID],
  meta: { text, headerSize: "MEDIUM_HEADER", background: "BACKGROUND_TRANSPARENT" },
});

function rowNodes(row: Section["rows"][number], id: string, charts: readonly Chart[]): Node[] {
  const cells = row.places.map(({ chart, width }) => ({
    id: `CHART-${chart.key}`,
    type: "CHART",
    children: [],
    parents: [ROOT, GRID, id],
    meta: {
      uuid: assetId("chart", chart.key),
      chartId: replacement(charts.indexOf(chart)),
      sliceName: chart.title,
      width,
      height: row.height,
    },
  }));
  const children = cells.map((cell) => cell.id);
  const meta = { background: "BACKGROUND_TRANSPARENT" };
  return [{ id, type: "ROW", children, parents: [ROOT, GRID], meta }, ...cells];
}
