import type { FunnelStage } from "../../warehouse/history/analytics.ts";
import { type Bar, barsHeight, drawBars } from "../charts/bars.ts";
import { figure } from "../figure.ts";
import { percent, whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

export interface Share {
  readonly label: string;
  readonly visits: number;
  readonly purchases: number;
}

export interface Audience {
  readonly sources: readonly Share[];
  readonly devices: readonly Share[];
  readonly browsers: readonly Share[];
  readonly countries: readonly Share[];
}

export function visitorsSection(funnel: readonly FunnelStage[], audience: Audience): Section {
  const body = html`<p class="lead">Where sessions come from, whose they are and how far they get.</p>
<div class="grid">
<div class="stack">
${funnelFigure(funnel)}
${shares("Devices", "device", audience.devices)}
${shares("Browsers", "browser", audience.browsers)}
</div>
<div class="stack">
${shares("Sources", "source", audience.sources)}
${shares("Countries", "country", audience.countries)}
</div>
</div>`;
  return { id: "visitors", title: "Visitors", body };
}

export function funnelFigure(funnel: readonly FunnelStage[]): Html {
  const all = funnel[0]?.visits ?? 0;
  const bars = funnel.map(({ stage, visits }) => ({
    label: stage,
    value: visits,
    note: `${whole(visits)} · ${percent(visits / all)}`,
  }));
  return figure({
    title: "Funnel: sessions that got this far",
    description: `Bars from ${bars.map((bar) => `${bar.label} ${bar.note}`).join(", ")}.`,
    draw: drawBars(bars),
    span: "half",
    height: Math.max(180, barsHeight(bars)),
    table: table(
      "Funnel",
      ["stage", "sessions", "of all", "of the stage before"],
      funnel.map(({ stage, visits }, i) => [
        stage,
        visits,
        percent(visits / all),
        i === 0 ? "" : percent(visits / (funnel[i - 1]?.visits ?? 0)),
      ]),
    ),
  });
}

const MOST_BARS = 12;

function shares(title: string, what: string, all: readonly Share[]): Html {
  const total = all.reduce((sum, share) => sum + share.visits, 0);
  const bars = topBars(all, total);
  return figure({
    title: `${title} by sessions`,
    description: `Bars of sessions by ${what}; first is ${bars[0]?.label ?? "none"} with ${bars[0]?.note ?? 0}.`,
    draw: drawBars(bars),
    span: "half",
    height: barsHeight(bars),
    table: table(
      title,
      [what, "sessions", "share", "with purchase", "of these sessions"],
      all.map(({ label, visits, purchases }) => [
        label,
        visits,
        percent(visits / total),
        purchases,
        percent(purchases / visits),
      ]),
    ),
  });
}

export function topBars(all: readonly Share[], total: number): Bar[] {
  const bar = (label: string, visits: number, isRest: boolean): Bar => ({
    label,
    value: visits,
    note: `${whole(visits)} · ${percent(visits / total)}`,
    isRest,
  });
  const shown = all.length > MOST_BARS ? all.slice(0, MOST_BARS - 1) : all;
  const rest = all.slice(shown.length);
  const bars = shown.map(({ label, visits }) => bar(label, visits, label === UNKNOWN));
  if (rest.length === 0) return bars;
  const sum = rest.reduce((visits, share) => visits + share.visits, 0);
  return [...bars, bar(`${rest.length} others`, sum, true)];
}

/** The queries' name of a missing property. */
const UNKNOWN = "unknown";
