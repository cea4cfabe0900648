import type { Analytics } from "../../warehouse/history/analytics.ts";
import { type Bar, barsHeight, drawBars, drawPairs, pairsHeight } from "../charts/bars.ts";
import { figure } from "../figure.ts";
import { funnelLoss, mostSessions } from "../findings.ts";
import { percent, whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";
import { retentionCard } from "./retention.ts";

export interface Share {
  readonly label: string;
  readonly sessions: number;
  readonly purchase_sessions: number;
}

export interface Audience {
  readonly channels: readonly Share[];
  readonly devices: readonly Share[];
  readonly browsers: readonly Share[];
  readonly countries: readonly Share[];
}

export function visitorsSection(analytics: Analytics, audience: Audience): Section {
  const body = html`<p class="lead">A channel is where a session came from, in the groups of Google Analytics. Visitors are counted here if a session of theirs has an event; <code>dds.click</code> also has visitors whose events were all rejected, and counts by day leave out skewed clocks.</p>
<div class="grid">
<div class="stack">
${funnelFigure(analytics)}
${shares("device", audience.devices)}
</div>
<div class="stack">
${shares("channel", audience.channels)}
${shares("browser", audience.browsers)}
</div>
${shares("country", audience.countries, "full")}
${retentionCard(analytics)}
</div>`;
  return { id: "visitors", title: "Visitors", body };
}

/** Renders the funnel; nothing if the site has no stages. */
export function funnelFigure({ funnel, totals }: Analytics): Html | false {
  if (funnel.length === 0) return false;
  const all = totals.sessions;
  const pairs = funnel.map(({ stage, sessions, seen_sessions }) => ({
    label: stage,
    values: [sessions, seen_sessions] as const,
    note: `${whole(sessions)} · ${percent(sessions / all)}`,
  }));
  return figure({
    finding: funnelLoss(funnel, all),
    subject: "Sessions by stage of the funnel",
    description: `Pairs of bars, at least this far and saw this stage: ${pairs.map(({ label, note, values }) => `${label} ${note}, seen by ${whole(values[1])}`).join("; ")}.`,
    draw: drawPairs(pairs, ["At least this far", "Saw this stage"]),
    span: "half",
    height: pairsHeight(pairs),
    table: table(
      "Funnel",
      ["stage", "at least this far", "of all", "of the previous stage", "saw this stage"],
      funnel.map(({ stage, sessions, seen_sessions }, i) => [
        stage,
        sessions,
        percent(sessions / all),
        i === 0 ? "" : percent(sessions / (funnel[i - 1]?.sessions ?? 0)),
        seen_sessions,
      ]),
    ),
  });
}

const MAX_BARS = 12;

/** Renders nothing if the data say nothing about it. */
function shares(what: string, all: readonly Share[], span: "half" | "full" = "half"): Html | false {
  if (all.every(({ label }) => label === UNKNOWN)) return false;
  const total = all.reduce((sum, share) => sum + share.sessions, 0);
  const bars = topBars(all, total);
  return figure({
    finding: mostSessions(
      what,
      all.filter(({ label }) => label !== UNKNOWN),
      total,
    ),
    subject: `Sessions by ${what}`,
    description: `Bars of sessions by ${what}: ${bars.map(({ label, note }) => `${label} ${note}`).join(", ")}.`,
    draw: drawBars(bars),
    span,
    height: barsHeight(bars),
    table: table(
      `Sessions by ${what}`,
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
  const known = all.filter(({ label }) => label !== UNKNOWN);
  const unknown = all.filter(({ label }) => label === UNKNOWN);
  const room = MAX_BARS - unknown.length;
  const shown = known.length > room ? known.slice(0, room - 1) : known;
  const rest = known.slice(shown.length);
  const sum = rest.reduce((sessions, share) => sessions + share.sessions, 0);
  return [
    ...shown.map(({ label, sessions }) => bar(label, sessions, false)),
    ...(rest.length > 0 ? [bar(`${rest.length} others`, sum, true)] : []),
    ...unknown.map(({ label, sessions }) => bar(label, sessions, true)),
  ];
}

/** Text that the queries return for a missing property. */
const UNKNOWN = "unknown";
