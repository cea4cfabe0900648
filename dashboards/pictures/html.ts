import { renderSvg } from "../../report/charts/render.ts";
import { type Html, html, trusted } from "../../report/html.ts";
import { type Bound, type Dashboard, layout, type Panel, type PlacedPanel } from "../dashboard.ts";
import { drawPanel, namedSeries } from "./chart.ts";
import type { Series, SeriesByPanel } from "./series.ts";
import { valueText } from "./values.ts";

/** Sizes in pixels: a column and a row of Grafana's grid, and the gap between panels. */
const COLUMN = 48;
const ROW = 34;
const GAP = 8;
const TITLE = 30;

export function drawDashboard(dashboard: Dashboard, byPanel: SeriesByPanel, style: string): string {
  const rows = layout(dashboard);
  const height = Math.max(
    ...rows.flatMap(({ panels }) => panels.map(({ position }) => position.y + position.h)),
  );
  const body = rows.map(
    ({ title, y, panels }) => html`<h2 style="top:${y * ROW + 8}px">${title}</h2>
${panels.map((placed) => card(placed, byPanel.get(placed.panel) ?? []))}`,
  );
  return html`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${dashboard.title}</title>
<style>${trusted(style)}</style>
<h1>${dashboard.title}</h1><p>${dashboard.about}</p>
<main style="height:${height * ROW}px">${body}</main></html>
`.text;
}

function card({ panel, position }: PlacedPanel, all: readonly Series[]): Html {
  // A stat panel queries the current value, as in Grafana, so ended series have no value.
  const allSeries = panel.kind === "stat" ? all.filter(({ isOver }) => !isOver) : all;
  const { x, y, w, h } = position;
  const size = { width: w * COLUMN - GAP, height: h * ROW - GAP };
  const place = `left:${x * COLUMN}px;top:${y * ROW}px;width:${size.width}px;height:${size.height}px`;
  const inner = { width: size.width - 16, height: size.height - TITLE - 6 };
  return html`<section style="${place}"><h3>${panel.title}${unnamed(panel, allSeries, inner.width)}</h3>
${allSeries.length === 0 ? html`<p class="empty">No data</p>` : content(panel, allSeries, inner)}</section>`;
}

function unnamed({ kind }: Panel, allSeries: readonly Series[], width: number): Html | false {
  const count = kind === "stat" ? 0 : allSeries.length - namedSeries(allSeries, width).length;
  return count > 0 && html` <small>and ${count} more, grey</small>`;
}

const content = (
  panel: Panel,
  allSeries: readonly Series[],
  size: { width: number; height: number },
): Html =>
  panel.kind === "stat"
    ? html`<div class="stats">${allSeries.map((series) => value(panel, series, allSeries.length > 1))}</div>`
    : html`<div>${trusted(renderSvg(drawPanel(panel, allSeries), size))}</div>`;

function value(panel: Panel, { name, points }: Series, isNamed: boolean): Html {
  const last = points.at(-1)?.[1] ?? Number.NaN;
  const word = panel.words?.find((one) => one.value === last);
  const text = word?.text ?? valueText(last, panel.signals[0]?.unit ?? "short");
  const isRed = word?.color === "red" || isBad(panel.bound, last);
  return html`<div class="${isRed ? "bad" : "good"}">${isNamed && html`<small>${name}</small>`}<b>${text}</b></div>`;
}

const isBad = (bound: Bound | undefined, value: number): boolean =>
  bound !== undefined &&
  (bound.when === "above" ? value > bound.threshold : value < bound.threshold);
