import { askJson } from "../checks/http.ts";
import type { Dashboard, Panel } from "../dashboard.ts";
import type { Signal } from "../signal.ts";

/** One time series: Unix seconds and values. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
  /** True if the series ended before the time span, so that its last value is outdated. */
  readonly isOver: boolean;
}

export interface Span {
  /** Start of the time span, Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** Seconds between points. */
  readonly step: number;
}

export type SeriesByPanel = ReadonlyMap<Panel, readonly Series[]>;

export async function readSeries(
  url: string,
  dashboard: Dashboard,
  span: Span,
): Promise<SeriesByPanel> {
  const byPanel = new Map<Panel, readonly Series[]>();
  for (const panel of dashboard.rows.flatMap(({ panels }) => panels)) {
    const all: Series[] = [];
    for (const signal of panel.signals) all.push(...(await seriesOf(url, signal, span)));
    byPanel.set(panel, all);
  }
  return byPanel;
}

interface Matrix {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

async function seriesOf(url: string, signal: Signal, { from, to, step }: Span): Promise<Series[]> {
  const query = { query: signal.expr, start: String(from), end: String(to), step: String(step) };
  const { data } = await askJson<Matrix>(`${url}/api/v1/query_range?${new URLSearchParams(query)}`);
  return data.result.map(({ metric, values }) => ({
    name: signal.legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
    points: values.map(([time, value]): [number, number] => [time, Number(value)]),
    isOver: Math.max(...values.map(([time]) => time)) <= to - step,
  }));
}
