import type { Manifest } from "../contract/manifest.ts";
import type { Analytics } from "../warehouse/history/analytics.ts";
import type { HistoryModel } from "../warehouse/history/model.ts";
import { meanRetention } from "../warehouse/history/retention.ts";
import { durationText, minuteText, percent } from "./format.ts";
import { type Html, html } from "./html.ts";
import { renderPage, type Section } from "./page.ts";
import { origin, totalNumbers } from "./sections/headline.ts";
import { funnelFigure } from "./sections/visitors.ts";
import { waveSection } from "./sections/wave.ts";
import { facts, table } from "./table.ts";

export function analyticsPage(
  analytics: Analytics,
  model: HistoryModel,
  manifest: Manifest | undefined,
): string {
  const caveat = model.doubt && html`<strong class="bad">${model.doubt}</strong>`;
  return renderPage({
    title: "Event pipeline: history",
    header: header(analytics, manifest),
    sections: [
      waveSection(analytics, model.config, caveat),
      {
        id: "funnel",
        title: "Funnel",
        body: html`<div class="grid">${funnelFigure(analytics)}</div>`,
      },
      retentionSection(analytics),
    ],
  });
}

function header({ interval, totals }: Analytics, manifest: Manifest | undefined): Html {
  const time = `${minuteText(interval.from)} to ${minuteText(interval.to)}`;
  return html`<p class="eyebrow">Event pipeline · history</p>
<h1>${durationText(interval.to - interval.from)} of generated history</h1>
${manifest ? origin(manifest, interval) : facts([["Model time (UTC)", time]])}
<ul class="numbers">
${totalNumbers(totals)}
</ul>`;
}

function retentionSection({ retention }: Analytics): Section {
  const section = { id: "retention", title: "Retention" };
  if (retention.length === 0) {
    return { ...section, body: html`<p class="lead">No model day (UTC) is complete.</p>` };
  }
  const columns = retention[0]?.visitors.length ?? 0;
  const head = ["first seen (UTC)", "visitors"];
  for (let day = 1; day < columns; day++) head.push(`day ${day}`);
  const share = (part: number | null, all: number | null) =>
    part === null ? "" : percent(part / (all ?? 0));
  const rows = retention.map(({ cohort, visitors: [size = null, ...later] }) => [
    cohort,
    size,
    ...later.map((visitors) => share(visitors, size)),
  ]);
  const [, ...mean] = meanRetention(retention);
  const total = retention.reduce((sum, row) => sum + (row.visitors[0] ?? 0), 0);
  const last = ["all", total, ...mean.map((part) => share(part, 1))];
  return {
    ...section,
    body: html`<p class="lead">Visitors by the day they were first seen, and the share of them that came on a later day.</p>
<div class="card figures">${table("Retention by cohort", head, [...rows, last])}</div>`,
  };
}
