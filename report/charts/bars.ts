import { whole } from "../format.ts";
import type { Draw } from "./render.ts";
import { categoryAxis, colours, legend, text, valueAxis } from "./theme.ts";

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Text beside the bar; the number by default. */
  readonly note?: string;
  /** True for the sum of the rest or the unknown part, which are not compared. */
  readonly isRest?: boolean;
}

const ROW_HEIGHT = 26;

export const barsHeight = (bars: readonly Bar[]): number => bars.length * ROW_HEIGHT + 12;

export function drawBars(bars: readonly Bar[], colour: string = colours.main): Draw {
  return ({ width }) => ({
    grid: { ...barsGrid(bars, width), top: 4, bottom: 4 },
    xAxis: { type: "value", show: false, min: 0, max: "dataMax" },
    yAxis: categoryAxis(
      bars.map((bar) => bar.label),
      {
        inverse: true,
        axisLine: { show: false },
        axisLabel: {
          ...text(),
          color: colours.ink,
          width: labelWidth(bars, width),
          overflow: "truncate",
        },
      },
    ),
    series: [
      {
        type: "bar",
        silent: true,
        barWidth: 14,
        data: bars.map(({ value, isRest }) => ({
          value,
          itemStyle: { color: isRest ? colours.grid : colour, borderRadius: [0, 3, 3, 0] },
        })),
        label: {
          show: true,
          position: "right",
          ...text(),
          formatter: ({ dataIndex }: { dataIndex: number }) => noteOf(bars[dataIndex]),
        },
      },
    ],
  });
}

export interface Pair {
  readonly label: string;
  readonly wanted: number;
  readonly found: number;
}

export const pairsHeight = (pairs: readonly Pair[]): number => pairs.length * 54 + 40;

export function drawPairs(pairs: readonly Pair[], names: readonly [string, string]): Draw {
  const labels = pairs.map(({ label, wanted }) => ({ label, value: wanted }));
  const series = (name: string, values: number[], colour: string) => ({
    name,
    type: "bar",
    silent: true,
    barWidth: 14,
    data: values,
    itemStyle: { color: colour, borderRadius: [0, 3, 3, 0] },
    label: { show: true, position: "right", ...text(), formatter: whole0 },
  });
  return ({ width }) => ({
    grid: { ...barsGrid(labels, width), top: 34, bottom: 4 },
    legend: legend(names),
    xAxis: { type: "value", show: false, min: 0, max: "dataMax" },
    yAxis: categoryAxis(
      pairs.map((pair) => pair.label),
      { inverse: true, axisLine: { show: false }, axisLabel: { ...text(), color: colours.ink } },
    ),
    series: [
      series(
        names[0],
        pairs.map((pair) => pair.wanted),
        colours.mainSoft,
      ),
      series(
        names[1],
        pairs.map((pair) => pair.found),
        colours.main,
      ),
    ],
  });
}

export function drawDays(
  days: readonly string[],
  series: readonly { readonly name: string; readonly values: readonly number[] }[],
): Draw {
  const tints = [colours.main, colours.mainSoft];
  return ({ width }) => ({
    grid: { left: 44, right: 8, top: 34, bottom: 28 },
    legend: legend(series.map(({ name }) => name)),
    xAxis: categoryAxis(
      days.map((day) => day.slice(5)),
      { axisLabel: { ...text(), interval: Math.ceil(days.length / (width / 56)) - 1 } },
    ),
    yAxis: valueAxis(),
    series: series.map(({ name, values }, index) => ({
      name,
      type: "bar",
      silent: true,
      barMaxWidth: 32,
      barGap: "10%",
      data: [...values],
      itemStyle: { color: tints[index % tints.length], borderRadius: [3, 3, 0, 0] },
    })),
  });
}

const whole0 = ({ value }: { value: number }): string => whole(value);
const noteOf = (bar: Bar | undefined): string => (bar ? (bar.note ?? whole(bar.value)) : "");

/** Estimates six pixels per character, at most two fifths of the drawing. */
const labelWidth = (bars: readonly Bar[], width: number): number =>
  Math.min(0.42 * width, 7 * Math.max(...bars.map((bar) => bar.label.length), 4) + 4);

function barsGrid(bars: readonly Bar[], width: number) {
  const notes = Math.max(...bars.map((bar) => noteOf(bar).length), 4);
  return { left: labelWidth(bars, width) + 10, right: 7 * notes + 10 };
}
