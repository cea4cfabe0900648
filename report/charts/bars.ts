import { whole } from "../format.ts";
import type { Draw } from "./render.ts";
import { categoryAxis, colours, legend, rowAxis, text, valueAxis } from "./theme.ts";

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
    tips: { of: "rows", texts: bars.map((bar) => `${bar.label}: ${noteOf(bar)}`) },
    xAxis: { type: "value", show: false, min: 0, max: "dataMax" },
    yAxis: rowAxis(
      bars.map((bar) => bar.label),
      labelWidth(bars, width),
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
  readonly values: readonly [number, number];
  /** Text beside the first bar; the number by default. */
  readonly note?: string;
}

export const pairsHeight = (pairs: readonly Pair[]): number => pairs.length * 48 + 40;

export function drawPairs(pairs: readonly Pair[], names: readonly [string, string]): Draw {
  const bars = pairs.map(({ label, values: [value], note }) => ({
    label,
    value,
    ...(note ? { note } : {}),
  }));
  const series = (index: 0 | 1, colour: string) => ({
    name: names[index],
    type: "bar",
    silent: true,
    barWidth: 14,
    data: pairs.map(({ values }) => values[index]),
    itemStyle: { color: colour, borderRadius: [0, 3, 3, 0] },
    label: {
      show: true,
      position: "right",
      ...text(),
      formatter: ({ dataIndex, value }: { dataIndex: number; value: number }) =>
        index === 0 ? noteOf(bars[dataIndex]) : whole(value),
    },
  });
  return ({ width }) => ({
    grid: { ...barsGrid(bars, width), top: 34, bottom: 4 },
    tips: {
      of: "rows",
      texts: pairs.map(
        ({ label, values: [one, other] }) =>
          `${label}: ${names[0]} ${whole(one)}, ${names[1]} ${whole(other)}`,
      ),
    },
    legend: legend(names),
    xAxis: { type: "value", show: false, min: 0, max: "dataMax" },
    yAxis: rowAxis(
      pairs.map((pair) => pair.label),
      labelWidth(bars, width),
    ),
    series: [series(0, colours.mainSoft), series(1, colours.main)],
  });
}

/** @param days short names of the days */
export function drawDays(
  days: readonly string[],
  series: readonly { readonly name: string; readonly values: readonly number[] }[],
): Draw {
  const tints = [colours.main, colours.mainSoft];
  const tip = (day: string, i: number): string =>
    `${day}: ${series.map(({ name, values }) => `${name} ${whole(values[i] ?? 0)}`).join(", ")}`;
  return ({ width }) => ({
    grid: { left: 44, right: 8, top: 34, bottom: 42 },
    tips: { of: "columns", texts: days.map(tip) },
    legend: legend(series.map(({ name }) => name)),
    xAxis: categoryAxis(days, {
      axisLabel: {
        ...text(),
        interval: Math.ceil(days.length / (width / 52)) - 1,
        // The weekday is on a line of its own, so that a week has room.
        formatter: (day: string) => day.replace(" ", "\n"),
      },
    }),
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

const noteOf = (bar: Bar | undefined): string => (bar ? (bar.note ?? whole(bar.value)) : "");

/** Estimates six pixels per character, at most two fifths of the drawing. */
const labelWidth = (bars: readonly Bar[], width: number): number =>
  Math.min(0.42 * width, 7 * Math.max(...bars.map((bar) => bar.label.length), 4) + 4);

function barsGrid(bars: readonly Bar[], width: number) {
  const notes = Math.max(...bars.map((bar) => noteOf(bar).length), 4);
  return { left: labelWidth(bars, width) + 10, right: 7 * notes + 10 };
}
