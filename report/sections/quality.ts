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
  scores: readonly DefectLine[],
  summary: readonly SummaryLine[],
): Section {
  // Data that no generator wrote have no injected defects.
  const lines = scores.some(({ injected }) => injected > 0) ? scores : [];
  const body = html`<p class="lead">${lines.length > 0 && "The generator injects defects and records each in its manifest. The report compares them with the findings of the pipeline."}</p>
<div class="grid">
${lines.length > 0 && [scoreFigure(lines), scoreCard(lines)]}
${markerCard(summary)}
</div>`;
  return { id: "quality", title: "Data quality", body };
}

function scoreFigure(lines: readonly DefectLine[]): Html {
  const sum = (part: (line: DefectLine) => number) => lines.reduce((n, l) => n + part(l), 0);
  const injected = sum((line) => line.injected);
  const missed = sum((line) => line.missed);
  const alarms = sum((line) => line.falseAlarms);
  const pairs = lines.map(({ kind, injected, caught }) => ({
    label: kind.replaceAll("_", " "),
    values: [injected, caught] as const,
  }));
  return figure({
    finding:
      missed + alarms === 0
        ? `All ${whole(injected)} injected defects were caught`
        : `${whole(missed)} of ${whole(injected)} injected defects were missed`,
    subject: "Defects by kind",
    description: `Pairs of bars, injected and caught: ${pairs.map(({ label, values: [wanted, found] }) => `${label} ${whole(wanted)}, ${whole(found)}`).join("; ")}.`,
    draw: drawPairs(pairs, ["Injected", "Caught"]),
    span: "half",
    height: pairsHeight(pairs),
    note: html`<strong class="${missed + alarms === 0 ? "good" : "bad"}">${whole(missed)} missed, ${whole(alarms)} false alarms</strong> of ${whole(injected)} injected.`,
  });
}

const scoreCard = (lines: readonly DefectLine[]): Html => html`<div class="card half">
<h3>What was injected</h3>
${table(
  "Injected defects",
  ["defect", "pending", "missed", "false alarms"],
  lines.map((line) => [
    html`${line.kind.replaceAll("_", " ")}<small>${defects[line.kind]}</small>`,
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

/** Returns the meaning of a marker; an empty text for unknown markers. */
const meaning = (metric: string): string =>
  Object.hasOwn(markers, metric) ? markers[metric as MarkerName] : "";
