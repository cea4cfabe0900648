import { askJson } from "../checks/http.ts";
import type { Dashboard, Panel } from "../dashboard.ts";
import type { Signal } from "../signal.ts";

/** One time series: Unix seconds and values. */
export interface Course {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
  /** True if the series ended before the span did, so its last value is outdated. */
  readonly isOver: boolean;
}

export interface Span {
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** Seconds between points. */
  readonly step: number;
}

/** Courses by panel, in the order of its signals. */
export type Courses = ReadonlyMap<Panel, readonly Course[]>;

export async function readCourses(url: string, dashboard: Dashboard, span: Span): Promise<Courses> {
  const courses = new Map<Panel, readonly Course[]>();
  for (const panel of dashboard.rows.flatMap(({ panels }) => panels)) {
    const all: Course[] = [];
    for (const signal of panel.signals) all.push(...(await coursesOf(url, signal, span)));
    courses.set(panel, all);
  }
  return courses;
}

interface Matrix {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

async function coursesOf(url: string, signal: Signal, { from, to, step }: Span): Promise<Course[]> {
  const query = { query: signal.expr, start: String(from), end: String(to), step: String(step) };
  const { data } = await askJson<Matrix>(`${url}/api/v1/query_range?${new URLSearchParams(query)}`);
  return data.result.map(({ metric, values }) => ({
    name: signal.legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
    points: values.map(([time, value]): [number, number] => [time, Number(value)]),
    isOver: Math.max(...values.map(([time]) => time)) <= to - step,
  }));
}
