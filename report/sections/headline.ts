import type { Manifest } from "../../contract/manifest.ts";
import { parseMicros } from "../../contract/time.ts";
import type { Totals } from "../../warehouse/history/analytics.ts";
import type { Interval } from "../../warehouse/history/wave.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { durationText, minuteText, percent, whole } from "../format.ts";
import { type Content, type Html, html } from "../html.ts";
import { facts } from "../table.ts";

export function headline(manifest: Manifest, totals: Totals, reconciliation: Reconciliation): Html {
  const interval = { from: parseMicros(manifest.t0), to: parseMicros(manifest.t_end) };
  return html`<p class="eyebrow">Event pipeline · report of a run</p>
<h1>${durationText(interval.to - interval.from)} of sessions, from raw message to mart</h1>
${origin(manifest, interval)}
<ul class="numbers">
${totalNumbers(totals)}
${unaccounted(reconciliation)}
</ul>`;
}

export const origin = (manifest: Manifest, interval: Interval): Html =>
  facts([
    ["Seed", html`<code>${manifest.seed}</code>`],
    ["Model time (UTC)", `${minuteText(interval.from)} to ${minuteText(interval.to)}`],
    ["Manifest checksum", html`<code class="long">${manifest.checksum}</code>`],
  ]);

export const totalNumbers = (totals: Totals): Html[] => [
  number(
    whole(totals.page_events),
    "page events",
    `${(totals.page_events / totals.sessions).toFixed(1)} per session`,
  ),
  number(
    whole(totals.sessions),
    "sessions",
    `${percent(totals.purchase_sessions / totals.sessions)} with a purchase`,
  ),
  number(
    whole(totals.visitors),
    "visitors",
    `${percent(totals.registered_sessions / totals.sessions)} of sessions registered`,
  ),
  // Data without money have no revenue.
  ...(totals.revenue > 0
    ? [
        number(
          whole(totals.revenue),
          "revenue",
          `${(totals.revenue / totals.purchases).toFixed(2)} per purchase`,
        ),
      ]
    : []),
];

function unaccounted(reconciliation: Reconciliation): Html {
  const isClean = reconciliation.verdict === "accounted";
  const messages = reconciliation.messages.reduce((sum, line) => sum + line.raw, 0);
  return number(
    whole(reconciliation.unaccounted),
    "unaccounted for",
    isClean ? `of ${whole(messages)} messages` : "see Through the layers",
    isClean ? "good" : "bad",
  );
}

const number = (value: string, name: string, note: Content, tone = "plain"): Html =>
  html`<li class="card number-card ${tone}"><strong>${value}</strong> <span>${name}</span><small>${note}</small></li>
`;
