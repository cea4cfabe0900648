import { percent } from "../format.ts";
import type { Draw } from "./render.ts";
import { colours, legend, rowAxis, text, valueAxis } from "./theme.ts";

/** An interval of shares, with its estimate and the true share. */
export interface IntervalRow {
  readonly label: string;
  readonly low: number;
  readonly high: number;
  readonly estimate: number;
  readonly truth: number;
}

const [INTERVAL, ESTIMATE, TRUTH] = ["95 % interval", "Estimate", "Truth"];
const ROW_HEIGHT = 26;

export const intervalsHeight = (rows: readonly IntervalRow[]): number =>
  rows.length * ROW_HEIGHT + 64;

export function drawIntervals(rows: readonly IntervalRow[]): Draw {
  const points = (value: (row: IntervalRow) => number) =>
    rows.map((row, index) => [value(row), index]);
  return ({ width }) => ({
    grid: { left: Math.min(0.42 * width, 140) + 10, right: 16, top: 34, bottom: 24 },
    tips: {
      of: "rows",
      texts: rows.map(
        (row) =>
          `${row.label}: estimate ${percent(row.estimate)}, from ${percent(row.low)} to ${percent(row.high)}; truth ${percent(row.truth)}`,
      ),
    },
    legend: legend([INTERVAL, ESTIMATE, TRUTH]),
    xAxis: valueAxis({ min: 0, axisLabel: { ...text(), formatter: percentLabel } }),
    yAxis: rowAxis(
      rows.map(({ label }) => label),
      Math.min(0.42 * width, 140),
    ),
    series: [
      // Two stacked bars, of which the first is not painted, draw an interval.
      bar("below", "none", (row) => row.low),
      bar(INTERVAL, colours.mainSoft, (row) => row.high - row.low),
      marks(ESTIMATE, colours.main, "circle", (row) => row.estimate),
      marks(TRUTH, colours.model, "diamond", (row) => row.truth),
    ],
  });

  function bar(name: string, color: string, value: (row: IntervalRow) => number) {
    const data = rows.map(value);
    return {
      name,
      type: "bar",
      stack: "interval",
      silent: true,
      barWidth: 10,
      data,
      itemStyle: { color },
    };
  }
  function marks(name: string, color: string, symbol: string, value: (row: IntervalRow) => number) {
    return {
      name,
      type: "scatter",
      silent: true,
      symbol,
      symbolSize: 9,
      data: points(value),
      itemStyle: { color },
    };
  }
}

const percentLabel = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
