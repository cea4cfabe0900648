import { STREAMS } from "../../contract/streams.ts";
import { formatSeconds } from "../../terminal/format.ts";
import type { StepResult } from "../../warehouse/batch/run-step.ts";
import {
  differenceOf,
  type LayerLine,
  type Reconciliation,
  sumByStream,
  waitingOf,
} from "../../warehouse/reconciliation/reconciliation.ts";
import { waitingText } from "../../warehouse/reconciliation/render.ts";
import { type Bar, barsHeight, drawBars } from "../charts/bars.ts";
import { colours } from "../charts/theme.ts";
import { figure } from "../figure.ts";
import { whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

export function layersSection(
  reconciliation: Reconciliation,
  steps: readonly StepResult[],
): Section {
  const body = html`<p class="lead">The report follows every message from its source to the mart. stg has the messages as sent; ods has each one typed, or rejected with a reason.</p>
<div class="grid">
${streamsCard(reconciliation)}
${rowsFigure(reconciliation)}
${steps.length > 0 && stepsFigure(steps)}
${identitiesCard(reconciliation)}
</div>`;
  return { id: "layers", title: "Through the layers", body };
}

function streamsCard(reconciliation: Reconciliation): Html {
  const rows = sumByStream(reconciliation.messages).map((line) => [
    line.stream,
    line.generated ?? "no manifest",
    line.raw,
    line.typed,
    line.rejected,
    waitingOf(reconciliation, line.stream),
    line.unaccounted,
  ]);
  const head = [
    "stream",
    "sent",
    "in stg",
    "typed in ods",
    "only in errors",
    "waiting",
    "unaccounted",
  ];
  return html`<div class="card full">
<h3>Messages, stream by stream</h3>
${table("Messages by stream", head, rows)}
${verdict(reconciliation)}
</div>`;
}

function verdict({ unaccounted, lost, verdict, waiting }: Reconciliation): Html {
  if (verdict === "accounted") return html`<p class="note good">0 unaccounted for.</p>`;
  if (verdict === "incomplete") {
    return html`<p class="note">Incomplete: 0 unaccounted so far. ${waiting.map(waitingText).join("; ")}</p>`;
  }
  const rows = lost.map((row) => [
    row.stream,
    String(row.epoch),
    String(row.partition),
    String(row.offset),
    row.key,
  ]);
  return html`<p class="note bad">${whole(unaccounted)} unaccounted for.</p>
${rows.length > 0 && table("Lost messages", ["stream", "epoch", "partition", "offset", "key"], rows)}`;
}

const ORDER = [
  ...STREAMS.map((stream) => `ods.${stream}_event`),
  "dds.event",
  "dds.click",
  "dm.event_enriched",
  "dm.session",
  "dm.page_view",
  "dm.visitor",
];

/** Returns bars: raw and rejected rows from the reconciliation, the rest from its digests. */
export function layerBars({ messages, digests }: Reconciliation): Bar[] {
  const streams = sumByStream(messages);
  const rejected = streams.reduce((sum, line) => sum + line.rejected, 0);
  const place = (name: string) =>
    ORDER.indexOf(name) + (ORDER.includes(name) ? 0 : ORDER.length + 1);
  const tables = [...digests]
    .sort((a, b) => place(a.name) - place(b.name))
    .map(({ name, rows }) => ({ label: name, value: rows }));
  return [
    ...streams.map(({ stream, raw }) => ({ label: `stg.raw: ${stream}`, value: raw })),
    ...tables.filter(({ label }) => label.startsWith("ods.")),
    { label: "only in ods.*_errors", value: rejected },
    ...tables.filter(({ label }) => !label.startsWith("ods.")),
  ];
}

function rowsFigure(reconciliation: Reconciliation): Html {
  const bars = layerBars(reconciliation);
  const messages = reconciliation.messages.reduce((sum, { raw }) => sum + raw, 0);
  const rowsOf = (name: string) => bars.find(({ label }) => label === name)?.value ?? 0;
  return figure({
    finding: `${whole(messages)} messages became ${whole(rowsOf("dds.event"))} events of ${whole(rowsOf("dds.click"))} sessions`,
    subject: "Rows per table",
    description: `Bars of rows: ${bars.map((bar) => `${bar.label} ${whole(bar.value)}`).join(", ")}.`,
    draw: drawBars(bars),
    span: "half",
    height: barsHeight(bars),
    table: table(
      "Rows and digests",
      ["table", "rows", "digest"],
      bars.map(({ label, value }) => [
        label,
        value,
        reconciliation.digests.find((line) => line.name === label)?.digest ?? "",
      ]),
    ),
  });
}

function stepsFigure(steps: readonly StepResult[]): Html {
  const bars = steps.map(({ id, seconds }) => ({
    label: id,
    value: seconds,
    note: formatSeconds(seconds),
  }));
  const total = steps.reduce((sum, step) => sum + step.seconds, 0);
  const longest = steps.toSorted((a, b) => b.seconds - a.seconds)[0];
  return figure({
    finding: `The steps took ${formatSeconds(total)}${longest ? `, most of it for ${longest.id} (${formatSeconds(longest.seconds)})` : ""}`,
    subject: "Time per step",
    description: `Bars of seconds: ${bars.map((bar) => `${bar.label} ${bar.note}`).join(", ")}.`,
    draw: drawBars(bars, colours.model),
    span: "half",
    height: barsHeight(bars),
    table: table(
      "Time per step",
      ["step", "time", "report"],
      steps.map(({ id, seconds, report }) => [
        id,
        formatSeconds(seconds),
        Object.entries(report)
          .map(([name, value]) => `${name.replaceAll("_", " ")} ${whole(value)}`)
          .join(", "),
      ]),
    ),
  });
}

function identitiesCard({ layers }: Reconciliation): Html {
  const rows = layers.map((line) => [line.identity, line.expected, line.found, comparison(line)]);
  return html`<div class="card full">
<h3>Sums that must agree</h3>
${table("Sums that must agree", ["identity", "expected", "found", ""], rows)}
</div>`;
}

function comparison(line: LayerLine): Html {
  if (!line.isCompared) return html`<span>changing</span>`;
  const difference = differenceOf(line);
  return difference === 0
    ? html`<span class="good">agree</span>`
    : html`<span class="bad">differ by ${difference}</span>`;
}
