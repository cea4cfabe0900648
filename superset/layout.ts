import { assetId } from "./identity.ts";
import type { Chart } from "./model.ts";

/** Position: width in twelfths, height in steps of 8 pixels. */
export interface Place {
  readonly chart: Chart;
  readonly width: number;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly { readonly height: number; readonly places: readonly Place[] }[];
}

interface Node {
  readonly id: string;
  readonly type: string;
  readonly children: readonly string[];
  readonly parents: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

export type Position = Readonly<Record<string, Node | string>>;

const ROOT = "ROOT_ID";
const GRID = "GRID_ID";
const PAGE_TITLE = "HEADER_ID";

/** True for declared ids; Superset's end in 21 random characters. @param uuid of the chart */
export const isDeclaredPosition = (id: string, uuid?: string | null): boolean =>
  [ROOT, GRID, PAGE_TITLE].includes(id) ||
  /^(HEADER-\d+|ROW-\d+-\d+)$/.test(id) ||
  chartKeyOf(id, uuid) !== undefined;

/** Returns the key of the chart in a declared position, from which the chart's UUID must derive. */
export function chartKeyOf(id: string, uuid?: string | null): string | undefined {
  const [, key] = /^CHART-(.+)$/.exec(id) ?? [];
  return key !== undefined && uuid === assetId("chart", key) ? key : undefined;
}

/** Returns a placeholder id below all chart numbers, which the import replaces. */
export const replacement = (index: number): number => -1 - index;

export const chartsOf = (sections: readonly Section[]): Chart[] =>
  sections.flatMap(({ rows }) => rows.flatMap(({ places }) => places.map(({ chart }) => chart)));

export function positionOf(title: string, sections: readonly Section[]): Position {
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
