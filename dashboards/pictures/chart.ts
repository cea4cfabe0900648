import type { Draw } from "../../report/charts/render.ts";
import { colours, legend, text, valueAxis } from "../../report/charts/theme.ts";
import type { Panel } from "../dashboard.ts";
import type { Series } from "./series.ts";
import { valueText } from "./values.ts";

const TINTS = [
  "#2f6db5",
  "#c2752a",
  "#1d8a58",
  "#8a5bb5",
  "#b3362b",
  "#4a9aa8",
  "#b59a2f",
  "#6b7280",
] as const;
const UNNAMED = "#b6bdc7";
/** Maximum of legend lines; more would leave no room for the chart. */
const LEGEND_LINES = 3;

/**
 * Returns the series with a colour and a legend entry: those with the highest values. The others
 * are grey, and the panel's title counts them.
 */
export function namedSeries(allSeries: readonly Series[], width: number): readonly Series[] {
  const named: Series[] = [];
  const fits = (more: readonly Series[]): boolean =>
    more.length <= TINTS.length && legendLines(more, width) <= LEGEND_LINES;
  if (fits(allSeries)) return allSeries;
  for (const series of allSeries.toSorted((one, other) => peak(other) - peak(one))) {
    if (fits([...named, series])) named.push(series);
  }
  return allSeries.filter((series) => named.includes(series));
}

const peak = ({ points }: Series): number => Math.max(...points.map(([, value]) => value));

export function drawPanel(panel: Panel, allSeries: readonly Series[]): Draw {
  const unit = panel.signals[0]?.unit ?? "short";
  return ({ width }) => drawSeries(panel, unit, allSeries, namedSeries(allSeries, width), width);
}

function drawSeries(
  panel: Panel,
  unit: Panel["signals"][number]["unit"],
  allSeries: readonly Series[],
  named: readonly Series[],
  width: number,
): ReturnType<Draw> {
  const tint = (series: Series): string => TINTS[named.indexOf(series)] ?? UNNAMED;
  return {
    grid: { left: 62, right: 10, top: 8, bottom: 22 + legendHeight(named, width) },
    legend: {
      ...legend(named.map(({ name }) => name)),
      top: undefined,
      bottom: 0,
      type: "plain",
    },
    xAxis: {
      type: "time",
      axisLine: { lineStyle: { color: colours.grid } },
      axisTick: { show: false },
      splitNumber: 4,
      axisLabel: { ...text(11), formatter: clock, hideOverlap: true },
    },
    yAxis: valueAxis({
      splitNumber: 3,
      axisLabel: { ...text(11), formatter: (value: number) => valueText(value, unit) },
      ...(allSeries.flatMap(({ points }) => points).every(([, value]) => value >= 0)
        ? { min: 0 }
        : {}),
    }),
    series: [
      // Unnamed series come first, so that they are below the others.
      ...allSeries
        .toSorted((one, other) => Number(named.includes(one)) - Number(named.includes(other)))
        .map((series) => line(panel, series, tint(series))),
      ...bound(panel, allSeries),
    ],
  };
}

/** Sizes in pixels: a letter, the mark and gap of an entry, and a line. */
const LETTER = 6;
const MARK = 36;
const LINE = 22;

function legendLines(allSeries: readonly Series[], width: number): number {
  let lines = 1;
  let used = 0;
  for (const { name } of allSeries) {
    const needed = name.length * LETTER + MARK;
    if (used > 0 && used + needed > width) {
      lines += 1;
      used = 0;
    }
    used += needed;
  }
  return lines;
}

const legendHeight = (allSeries: readonly Series[], width: number): number =>
  allSeries.length === 0 ? 0 : legendLines(allSeries, width) * LINE + 4;

const clock = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(11, 16);

const line = ({ kind }: Panel, { name, points }: Series, colour: string) => ({
  name,
  type: "line",
  silent: true,
  showSymbol: points.length < 2,
  data: points.map(([time, value]) => [time * 1000, Number.isFinite(value) ? value : null]),
  lineStyle: { color: colour, width: 1.5 },
  itemStyle: { color: colour },
  ...(kind === "stacked" ? { stack: "all", areaStyle: { color: colour, opacity: 0.35 } } : {}),
});

/** Omits a bound far above the values, which would flatten the chart. */
function bound({ bound: limit }: Panel, allSeries: readonly Series[]) {
  const points = allSeries.flatMap((series) => series.points);
  const greatest = Math.max(...points.map(([, value]) => value), 0);
  if (!limit || points.length === 0 || limit.threshold > greatest * 1.5) return [];
  const times = points.map(([time]) => time * 1000);
  return [
    {
      name: "bound",
      type: "line",
      silent: true,
      showSymbol: false,
      data: [Math.min(...times), Math.max(...times)].map((time) => [time, limit.threshold]),
      lineStyle: { color: colours.bad, width: 1, type: "dashed" },
    },
  ];
}
