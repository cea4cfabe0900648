import { expect, test } from "vitest";
import { chartOf, firstColumns } from "../../../../warehouse/engine/page/chart.js";

type Rows = readonly (readonly unknown[])[];

/** Result whose columns are given as "name Type". */
const resultOf = (columns: string, data: Rows) => ({
  meta: columns.split(", ").map((column) => {
    const [name = "", type = ""] = column.split(" ");
    return { name, type };
  }),
  data: data.map((row) => [...row]),
  rows: data.length,
  statistics: { rows_read: 0 },
});

/** Options and notes of the chart of a result. */
function draw(columns: string, data: Rows, split?: number) {
  const result = resultOf(columns, data);
  const first = firstColumns(result);
  if (first === undefined) throw new Error("no chart");
  return chartOf(result, split === undefined ? first : { ...first, split });
}

test("a result with more series than a chart can show is a table", () => {
  const rows = Array.from({ length: 303 }, (_, i) => ["2026-01-01", `v${i % 101}`, "1"]);
  expect(firstColumns(resultOf("day Date, visitor String, n UInt64", rows))).toBeUndefined();
  expect(
    firstColumns(resultOf("day Date, visitor String, n UInt64", rows.slice(0, 50))),
  ).toBeDefined();
});

test("weeks have their ticks, and bars of one series their values", () => {
  const weeks = draw("week Date, n UInt64", [
    ["2026-01-05", "1"],
    ["2026-01-12", "2"],
  ]);
  const [first, second] = [Date.parse("2026-01-05"), Date.parse("2026-01-12")];
  expect(weeks.options.xAxis).toMatchObject({ axisLabel: { customValues: [first, second] } });
  const bars = draw("kind String, n UInt64", [
    ["a", "1"],
    ["b", "2"],
  ]);
  expect(bars.options.series[0].label).toEqual({ show: true, position: "right" });
});

test.each([
  [
    "a time before a text",
    "kind String, day Date, n UInt64",
    [
      ["a", "2026-01-01", "1"],
      ["b", "2026-01-02", "2"],
    ],
    { label: 1, value: 2, split: -1 },
  ],
  [
    "a text before a number",
    "n UInt64, kind LowCardinality(String)",
    [
      ["1", "a"],
      ["2", "b"],
    ],
    { label: 1, value: 0, split: -1 },
  ],
  [
    "numbers only",
    "hour UInt8, mean Nullable(Float64)",
    [
      [1, 2],
      [2, 3],
    ],
    { label: 0, value: 1, split: -1 },
  ],
  [
    "labels that repeat",
    "day Date, kind String, n UInt64",
    [
      ["2026-01-01", "a", "1"],
      ["2026-01-01", "b", "2"],
    ],
    { label: 0, value: 2, split: 1 },
  ],
])("the first chart of %s", (_, columns, data, expected) => {
  expect(firstColumns(resultOf(columns, data))).toEqual(expected);
});

test("a question chooses the columns of its chart", () => {
  const result = resultOf("source String, sessions UInt64, purchases UInt64", [
    ["a", 9, 1],
    ["b", 8, 2],
  ]);
  expect(firstColumns(result, { label: "source", value: "purchases" })).toEqual({
    label: 0,
    value: 2,
    split: -1,
  });
});

test.each([
  [
    "without numbers",
    "a String, b String",
    [
      ["x", "y"],
      ["x", "y"],
    ],
  ],
  ["of one row", "a String, n UInt8", [["x", 1]]],
])("a result %s has no chart", (_, columns, data) => {
  expect(firstColumns(resultOf(columns, data))).toBeUndefined();
});

test("bars have signs, and gaps for what is no number", () => {
  const { options } = draw("a String, n Nullable(Float64)", [
    ["x", -5],
    ["y", null],
    ["z", "nan"],
    ["", 3],
  ]);
  expect(options.series).toMatchObject([{ name: "n", type: "bar", data: [-5, null, null, 3] }]);
  expect(options.yAxis).toMatchObject({ type: "category", data: ["x", "y", "z", "(empty)"] });
});

test("bars of numbers stand upright, in the order of the rows", () => {
  const { options } = draw("hour UInt8, n UInt64", [
    [3, "1"],
    [1, "2"],
  ]);
  expect(options.xAxis).toMatchObject({ type: "category", data: ["3", "1"] });
  expect(options.yAxis).toEqual({ type: "value" });
});

test("a second dimension makes one series each, with gaps", () => {
  const rows = [
    ["x", "p", 1],
    ["x", "q", 2],
    ["y", "q", 3],
  ];
  const { options } = draw("a String, kind String, n UInt8", rows);
  expect(options.yAxis).toMatchObject({ data: ["x", "y"] });
  expect(options.series.map(({ name, data }) => [name, data])).toEqual([
    ["p", [1, null]],
    ["q", [2, 3]],
  ]);
});

test("times make lines in the order of time", () => {
  const rows = [
    ["2026-01-01 12:30:00.5", "2"],
    ["2026-01-01 00:00:00", "1"],
  ];
  const { options } = draw("at DateTime64(1), n UInt64", rows);
  const from = Date.UTC(2026, 0, 1);
  expect(options.series[0]).toMatchObject({
    type: "line",
    data: [
      [from, 1],
      [from + 45_000_500, 2],
    ],
  });
  expect(options.xAxis).toMatchObject({ type: "time" });
});

test("a day is one step of the axis", () => {
  const { options } = draw("day Nullable(Date32), n UInt64", [
    ["2026-01-01", 1],
    ["2026-01-02", 2],
  ]);
  expect(options.xAxis).toMatchObject({
    minInterval: 86_400_000,
    axisLabel: { formatter: "{yyyy}-{MM}-{dd}" },
  });
  expect(options.series[0]?.data[0]).toEqual([Date.UTC(2026, 0, 1), 1]);
});

test("what is left out is noted", () => {
  const rows = Array.from({ length: 70 }, (_, i) => [`label ${i}`, `series ${i % 20}`, i]);
  const { options, notes } = draw("a String, kind String, n UInt8", rows, 1);
  expect(notes).toEqual(["first 60 of 70 labels", "first 12 of 20 series"]);
  expect(options.series).toHaveLength(12);
  expect(options.series[0]?.data).toHaveLength(60);
});
