/**
 * @typedef {import("./clickhouse.js").Result} Result
 * @typedef {{ label: number, value: number, split: number }} ChartColumns indexes; split -1: none
 */

/** Largest number of labels of bars, and of days with a tick each. */
const LABELS = 60;
/** With more series, a result is only a table. */
const SERIES = 100;
/** One per series, readable on light and dark. */
const COLOURS = [
  ...["#4f7ce8", "#e8833a", "#2fa56f", "#c95fc2", "#d9a514", "#2aa5b8"],
  ...["#e0565b", "#8a6de0", "#7f9b2f", "#b07a4f", "#6f8fa8", "#d4709a"],
];

export const isNumber = ({ type }) => /^(Nullable\()?(U?Int|B?Float|Decimal)/.test(type);
const isTime = ({ type }) => /^(LowCardinality\()?(Nullable\()?Date/.test(type);
const isText = (column) => !isNumber(column) && !isTime(column);

/**
 * Returns the columns of a result's first chart; undefined if there is nothing to draw.
 * @param {Result} result
 * @param {{ label: string, value: string }} [wanted] names of columns
 * @returns {ChartColumns | undefined}
 */
export function firstColumns({ meta, data }, wanted) {
  const first = (...conditions) =>
    conditions.map((fits) => meta.findIndex(fits)).find((index) => index >= 0) ?? -1;
  const label = first(
    ({ name }) => name === wanted?.label,
    isTime,
    isText,
    () => true,
  );
  const value = first(
    ({ name }) => name === wanted?.value,
    (column, index) => isNumber(column) && index !== label,
  );
  if (value < 0 || data.length < 2) return undefined;
  const isRepeated = distinct(data, label).length < data.length;
  const split = isRepeated ? first((column, index) => index !== label && isText(column)) : -1;
  if (split >= 0 && distinct(data, split).length > SERIES) return undefined;
  return { label, value, split };
}

/**
 * Describes lines over time, or bars over other labels, as options of ECharts.
 * @param {Result} result
 * @param {ChartColumns} columns
 * @returns {{ options: { series: any[], xAxis: object, yAxis: object }, height: number, notes: string[] }}
 */
export function chartOf({ meta, data }, columns) {
  const { label, value, split } = columns;
  const names = split < 0 ? [meta[value]?.name] : distinct(data, split);
  const labels = split < 0 ? data.map((row) => textOf(row[label])) : distinct(data, label);
  const series = names.slice(0, COLOURS.length).map((name) => ({
    name,
    rows: split < 0 ? data : data.filter((row) => textOf(row[split]) === name),
  }));
  const column = meta[label] ?? { name: "", type: "" };
  const isLine = isTime(column);
  const { height, ...axes } = isLine
    ? lines(series, columns, column.type)
    : bars(series, columns, labels.slice(0, LABELS), !isNumber(column));
  const options = {
    ...axes,
    color: COLOURS,
    legend: { show: split >= 0, type: "scroll", top: 0 },
    grid: { left: 8, right: 24, top: split >= 0 ? 44 : 20, bottom: 12, containLabel: true },
    // A tooltip of HTML has inline styles, which the page's policy refuses.
    tooltip: { trigger: "axis", renderMode: "richText", confine: true },
    aria: { enabled: true },
    animation: false,
    backgroundColor: "transparent",
    useUTC: true,
  };
  const notes = [
    ...(isLine ? [] : noteOf(labels.length, LABELS, "labels")),
    ...noteOf(names.length, COLOURS.length, "series"),
  ];
  return { options, height, notes };
}

const noteOf = (all, shown, what) => (all > shown ? [`first ${shown} of ${all} ${what}`] : []);

function lines(series, { label, value }, type) {
  const isDay = !type.includes("Time");
  const days = new Set(series.flatMap(({ rows }) => rows.map((row) => timeOf(row[label]))));
  const axisLabel = {
    formatter: isDay ? "{yyyy}-{MM}-{dd}" : "{d} {MMM} {HH}:{mm}",
    hideOverlap: true,
    alignMaxLabel: "right",
    // Ticks of a calendar would miss the weeks of the data.
    ...(isDay && days.size <= LABELS && { customValues: [...days] }),
  };
  return {
    height: 360,
    xAxis: { type: "time", minInterval: isDay ? 86_400_000 : 0, axisLabel },
    yAxis: { type: "value" },
    series: series.map(({ name, rows }) => ({
      name,
      type: "line",
      showSymbol: rows.length <= 100,
      data: rows
        .map((row) => [timeOf(row[label]), numberOf(row[value])])
        .sort(([one], [other]) => one - other),
    })),
  };
}

/** Draws horizontal bars, which leave room for long labels, or vertical ones. */
function bars(series, { label, value, split }, labels, isHorizontal) {
  const ofLabel = (rows, text) => rows.find((row) => textOf(row[label]) === text);
  const category = {
    type: "category",
    data: labels,
    inverse: isHorizontal,
    // At zero, the labels would cover the bars of negative numbers.
    axisLine: { onZero: false },
    axisLabel: isHorizontal ? { width: 160, overflow: "truncate", interval: 0 } : {},
  };
  const [xAxis, yAxis] = isHorizontal
    ? [{ type: "value" }, category]
    : [category, { type: "value" }];
  return {
    height: isHorizontal ? 80 + labels.length * Math.max(24, 12 * series.length) : 360,
    xAxis,
    yAxis,
    series: series.map(({ name, rows }) => ({
      name,
      type: "bar",
      label: { show: series.length === 1, position: isHorizontal ? "right" : "top" },
      data: labels.map((text, i) => numberOf((split < 0 ? rows[i] : ofLabel(rows, text))?.[value])),
    })),
  };
}

const textOf = (value) => (value === "" ? "(empty)" : String(value));

/** Returns null, which is a gap, for what is no finite number. */
const numberOf = (value) =>
  value === undefined || value === null || !Number.isFinite(Number(value)) ? null : Number(value);

/** Returns milliseconds, as if the time were UTC. */
const timeOf = (value) => Date.parse(String(value).replace(/ (.*)/, "T$1Z"));

const distinct = (data, column) => [...new Set(data.map((row) => textOf(row[column])))];
