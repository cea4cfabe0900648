import { describe, expect, test } from "vitest";
import { HOUR, parseMicros } from "../../../contract/time.ts";
import { drawBars, drawDays, drawPairs } from "../../../report/charts/bars.ts";
import { drawIntervals } from "../../../report/charts/intervals.ts";
import { type Draw, renderSvg } from "../../../report/charts/render.ts";
import { shortNumber } from "../../../report/charts/theme.ts";
import { drawProfile, drawWave, WAVE_HOURS } from "../../../report/charts/wave.ts";
import { figure } from "../../../report/figure.ts";
import { html } from "../../../report/html.ts";
import { faultsOf } from "../../support/markup.ts";

const HOSTILE = `<script>alert(1)</script>&"'`;
const START = parseMicros("2026-01-01T00:00:00Z");
const points = (hours: number) =>
  Array.from({ length: hours }, (_, hour) => ({
    start: START + hour * HOUR,
    shown: START + hour * HOUR,
    observed: 100 + hour,
    expected: 120,
  }));

const charts: Record<string, Draw> = {
  bars: drawBars([
    { label: HOSTILE, value: 12, note: HOSTILE },
    { label: "rest", value: 3, isRest: true },
  ]),
  "no bars": drawBars([]),
  pairs: drawPairs([{ label: HOSTILE, values: [3, 2] }], ["Injected", "Caught"]),
  intervals: drawIntervals([
    { label: HOSTILE, low: 0.1, high: 0.3, estimate: 0.2, truth: 0.15 },
    { label: "b", low: 0, high: 1, estimate: 0.5, truth: 0.5 },
  ]),
  days: drawDays([HOSTILE, "2026-01-02"], [{ name: HOSTILE, values: [1, 2] }]),
  wave: drawWave(points(48), "UTC"),
  profile: drawProfile([{ hour: 0, observed: 1.5, expected: 2 }]),
};

describe.each(Object.entries(charts))("chart: %s", (_, draw) => {
  test.each([340, 500, 1040])("is valid SVG with its own %d pixels of width", (width) => {
    const svg = renderSvg(draw, { width, height: 220 });
    expect(faultsOf(svg)).toEqual([]);
    expect(svg).toContain(`viewBox="0 0 ${width} 220"`);
    expect(svg).not.toContain("<script");
  });

  test("uses the colours of the page, so that dark mode applies", () => {
    const svg = renderSvg(draw, { width: 500, height: 220 });
    const fixed = [...svg.matchAll(/(?:fill|stroke)="([^"]*)"/g)]
      .map((match) => match[1] ?? "")
      .filter((colour) => colour !== "none" && !colour.startsWith("var(--"));
    // The clip path of a line chart is never painted.
    expect(fixed.filter((colour) => colour !== "#000")).toEqual([]);
  });
});

test("labels appear unchanged in the picture", () => {
  const svg = renderSvg(drawBars([{ label: "a < b & c", value: 1 }]), { width: 500, height: 60 });
  expect(svg).toContain("a &lt; b &amp; c");
});

test("a long history shows its latest weeks", () => {
  const svg = renderSvg(drawWave(points(3 * WAVE_HOURS), "UTC"), { width: 1040, height: 300 });
  expect(svg).toContain(">Wed 11 Feb<");
  expect(svg).not.toContain(">Thu 1 Jan<");
});

test.each([
  [24, 1040, ["Thu 1 Jan", "03:00", "12:00", "21:00"]],
  [24, 340, ["Thu 1 Jan", "06:00", "18:00"]],
  [2, 1040, ["Thu 1 Jan"]],
  [48, 500, ["Thu 1 Jan", "06:00", "Fri 2 Jan", "18:00"]],
])("a history of %d hours, %d pixels wide, shows times of day", (hours, width, labels) => {
  const svg = renderSvg(drawWave(points(hours), "UTC"), { width, height: 300 });
  for (const label of labels) expect(svg).toContain(`>${label}<`);
});

test("each row or column of a chart shows its numbers under the pointer", () => {
  const tipsOf = (draw: Draw) =>
    [...renderSvg(draw, { width: 500, height: 220 }).matchAll(/<title>(.*?)<\/title>/g)].map(
      ([, text]) => text,
    );
  expect(tipsOf(drawBars([{ label: "a & b", value: 1200 }]))).toEqual(["a &amp; b: 1,200"]);
  expect(tipsOf(drawPairs([{ label: "cart", values: [3, 2] }], ["Far", "Seen"]))).toEqual([
    "cart: Far 3, Seen 2",
  ]);
  expect(tipsOf(drawWave(points(2), "UTC"))).toEqual([
    "Thu 1 Jan 2026, 00:00 (UTC): 100 page events, model 120",
    "Thu 1 Jan 2026, 01:00 (UTC): 101 page events, model 120",
  ]);
});

test("data without a model have no line of it, and no word", () => {
  const [point] = points(1);
  if (point === undefined) throw new Error("no point");
  const unknown = [{ ...point, expected: Number.NaN }];
  const svg = renderSvg(drawWave(unknown, "UTC"), { width: 500, height: 220 });
  expect(svg.toLowerCase()).not.toContain("model");
});

test("a figure describes its picture and lists the numbers behind it", () => {
  const { text } = figure({
    finding: HOSTILE,
    subject: "Bars",
    description: `Bars of ${HOSTILE}`,
    draw: drawBars([{ label: "a", value: 1 }]),
    span: "half",
    height: 60,
    table: html`<p>figures</p>`,
  });
  expect(faultsOf(text)).toEqual([]);
  expect(text.match(/role="img" aria-label="Bars of &lt;script/g)).toHaveLength(2);
  expect(text).toContain("<details");
});

test.each([
  [0, "0"],
  [950, "950"],
  [1200, "1.2k"],
  [45_000, "45k"],
  [3_400_000, "3.4M"],
])("%d is shortened to %s", (value, text) => {
  expect(shortNumber(value)).toBe(text);
});
