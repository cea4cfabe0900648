import type { Analytics } from "../../warehouse/history/analytics.ts";
import { type Bar, barsHeight, drawBars } from "../charts/bars.ts";
import { figure } from "../figure.ts";
import { percent, whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

export interface Share {
  readonly label: string;
  readonly sessions: number;
  readonly purchase_sessions: number;
}

export interface Audience {
  readonly sources: readonly Share[];
  readonly devices: readonly Share[];
  readonly browsers: readonly Share[];
  readonly countries: readonly Share[];
}

export function visitorsSection(analytics: Analytics, audience: Audience): Section {
  const body = html`<p class="lead">Sources, visitors and funnel of the sessions.</p>
<div class="grid">
<div class="stack">
${funnelFigure(analytics)}
${shares("Devices", "device", audience.devices)}
${shares("Browsers", "browser", audience.browsers)}
</div>
<div class="stack">
${shares("Sources by UTM tag, else by referrer", "source", audience.sources)}
${shares("Countries", "country", audience.countries)}
</div>
</div>`;
  return { id: "visitors", title: "Visitors", body };
}

export function funnelFigure({ funnel, totals }: Analytics): Html {
  const all = totals.sessions;
  const bars = funnel.map(({ stage, sessions }) => ({
    label: stage,
    value: sessions,
    note: `${whole(sessions)} · ${percent(sessions / all)}`,
  }));
  return figure({
    title: "Funnel: sessions that reached each stage",
    description: `Bars from ${bars.map((bar) => `${bar.label} ${bar.note}`).join(", ")}.`,
    draw: drawBars(bars),
    span: "half",
    height: Math.max(180, barsHeight(bars)),
    table: table(
      "Funnel",
      ["stage", "sessions", "of all", "of the previous stage"],
      funnel.map(({ stage, sessions }, i) => [
        stage,
        sessions,
        percent(sessions / all),
        i === 0 ? "" : percent(sessions / (funnel[i - 1]?.sessions ?? 0)),
      ]),
    ),
  });
}

const MAX_BARS = 12;

function shares(title: string, what: string, all: readonly Share[]): Html {
  const total = all.reduce((sum, share) => sum + share.sessions, 0);
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
      all.map(({ label, sessions, purchase_sessions }) => [
        label,
        sessions,
        percent(sessions / total),
        purchase_sessions,
        percent(purchase_sessions / sessions),
      ]),
    ),
  });
}

export function topBars(all: readonly Share[], total: number): Bar[] {
  const bar = (label: string, sessions: number, isRest: boolean): Bar => ({
    label,
    value: sessions,
    note: `${whole(sessions)} · ${percent(sessions / total)}`,
    isRest,
  });
  const shown = all.length > MAX_BARS ? all.slice(0, MAX_BARS - 1) : all;
  const rest = all.slice(shown.length);
  const bars = shown.map(({ label, sessions }) => bar(label, sessions, label === UNKNOWN));
  if (rest.length === 0) return bars;
  const sum = rest.reduce((sessions, share) => sessions + share.sessions, 0);
  return [...bars, bar(`${rest.length} others`, sum, true)];
}

/** Text that the queries return for a missing property. */
const UNKNOWN = "unknown";
