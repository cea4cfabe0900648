import { defects } from "../../contract/defects.ts";
import { type MarkerName, markers } from "../../contract/markers.ts";
import type { DefectLine } from "../../warehouse/reconciliation/reconciliation.ts";
import { drawPairs, pairsHeight } from "../charts/bars.ts";
import { figure } from "../figure.ts";
import { whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

export interface SummaryLine {
  readonly layer: string;
  readonly entity: string;
  readonly metric: string;
  readonly value: number;
}

export function qualitySection(
  lines: readonly DefectLine[],
  summary: readonly SummaryLine[],
): Section {
  const body = html`<p class="lead">The generator injects defects and records each in its manifest. The report compares them with the findings of the pipeline.</p>
<div class="grid">
${lines.length > 0 && [scoreFigure(lines), scoreCard(lines)]}
${markerCard(summary)}
</div>`;
  return { id: "quality", title: "Data quality", body };
}

function scoreFigure(lines: readonly DefectLine[]): Html {
  const sum = (part: (line: DefectLine) => number) => lines.reduce((n, l) => n + part(l), 0);
  const missed = sum((line) => line.missed);
  const alarms = sum((line) => line.falseAlarms);
  const pairs = lines.map(({ kind, injected, caught }) => ({
    label: kind.replaceAll("_", " "),
    wanted: injected,
    found: caught,
  }));
  return figure({
    title: "Injected defects: caught or missed",
    description: `Pairs of bars, injected and caught, for ${pairs.length} kinds of defects; ${missed} missed, ${alarms} false alarms.`,
    draw: drawPairs(pairs, ["Injected", "Caught"]),
    span: "half",
    height: pairsHeight(pairs),
    note: html`<strong class="${missed + alarms === 0 ? "good" : "bad"}">${whole(missed)} missed, ${whole(alarms)} false alarms</strong> of ${whole(sum((line) => line.injected))} injected.`,
  });
}

const scoreCard = (lines: readonly DefectLine[]): Html => html`<div class="card half">
<h3>Injected defects</h3>
${table(
  "Injected defects",
  ["defect", "injected", "caught", "pending", "missed", "false alarms"],
  lines.map((line) => [
    html`${line.kind.replaceAll("_", " ")}<small>${defects[line.kind]}</small>`,
    line.injected,
    line.caught,
    line.pending,
    line.missed,
    line.falseAlarms,
  ]),
)}
</div>`;

function markerCard(summary: readonly SummaryLine[]): Html {
  const lines = summary.filter((line) => isMarker(line.metric));
  const rows = lines.map((line) => [
    html`<code>${line.metric}</code>`,
    html`<code>${line.layer}.${line.entity}</code>`,
    line.value,
    html`<span class="prose">${meaning(line.metric)}</span>`,
  ]);
  return html`<div class="card full">
<h3>Markers in ods and dds</h3>
<p class="note">Markers overlap: one record may carry several. A message marked in ods is in <code>ods.*_errors</code> with its payload, broker metadata and reason. An event or session marked in dds has its markers in its row.</p>
${rows.length === 0 ? html`<p>No record carries a marker.</p>` : table("Markers", ["marker", "where", "records", "meaning"], rows)}
</div>`;
}

const isMarker = (metric: string): boolean =>
  !["rows", "typed", "rejected", "duplicates", "superseded", "orphan_events"].includes(metric);

/** Returns the meaning of a marker; a dash for unknown markers. */
const meaning = (metric: string): string =>
  Object.hasOwn(markers, metric) ? markers[metric as MarkerName] : "";
