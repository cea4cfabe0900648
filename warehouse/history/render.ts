import { formatMicros, isoMicros } from "../../contract/time.ts";
import { formatCount, renderTable } from "../../terminal/format.ts";
import type { Analytics } from "./analytics.ts";
import type { CheckResult } from "./checks/result.ts";
import { meanRetention } from "./retention.ts";
import { ratioToModel } from "./wave.ts";

/** `ok       counts of browser              manifest 307,429, …`. */
export const checkLine = ({ id, status, detail }: CheckResult): string =>
  `  ${WORDS[status].padEnd(11)}  ${id.padEnd(30)} ${detail}`;

const WORDS = { ok: "ok", failed: "failed", skipped: "not checked" } as const;

/** Names skipped checks, because they prove nothing. */
export function checksSummary(results: readonly CheckResult[]): string {
  const of = (status: CheckResult["status"]) =>
    results.filter((result) => result.status === status);
  const unknown = of("skipped");
  const counts = `${results.length} checks: ${of("ok").length} ok, ${of("failed").length} failed, ${unknown.length} not checked.`;
  if (unknown.length === 0) return counts;
  const names = unknown.map(({ id, detail }) => `${id} (${detail})`).join("; ");
  return `${counts}\nNot checked, and so not proven: ${names}.`;
}

export function renderAnalytics(analytics: Analytics, timezone: string): string {
  const { from, to } = analytics.interval;
  return [
    `History from ${isoMicros(from)} to ${isoMicros(to)}`,
    totals(analytics),
    days(analytics),
    wave(analytics, timezone),
    funnel(analytics),
    retention(analytics),
  ].join("\n\n");
}

const totals = ({ totals: t }: Analytics): string =>
  renderTable(
    [
      "users",
      "sessions",
      "page events",
      "registered sessions",
      "sessions with purchase",
      "skewed clocks",
    ],
    [
      [
        t.visitors,
        t.visits,
        t.page_events,
        t.registered_visits,
        t.purchase_visits,
        t.skewed_events,
      ],
    ],
  );

const days = (analytics: Analytics): string =>
  renderTable(
    ["model day (UTC)", "users", "sessions", "page events", "purchases"],
    analytics.days.map((d) => [d.day, d.visitors, d.visits, d.page_events, d.purchases]),
  );

function wave({ profile, wave: points }: Analytics, timezone: string): string {
  const rows = profile.map(({ hour, observed, expected }) => [
    `${String(hour).padStart(2, "0")}:00`,
    Math.round(observed),
    Math.round(expected),
    percent(observed / expected),
  ]);
  const table = renderTable([`hour (${timezone})`, "events per hour", "model", "ratio"], rows);
  return `${table}\nPage events against the model over all hours: ${percent(ratioToModel(points))}; last hour counted begins ${formatMicros(points.at(-1)?.start ?? 0).slice(0, 16)} UTC.`;
}

function funnel({ funnel: stages }: Analytics): string {
  const first = stages[0]?.visits ?? 0;
  return renderTable(
    ["stage", "sessions", "of all", "of the stage before"],
    stages.map(({ stage, visits }, i) => [
      stage,
      visits,
      percent(visits / first),
      i === 0 ? "" : percent(visits / (stages[i - 1]?.visits ?? 0)),
    ]),
  );
}

function retention({ retention: rows }: Analytics): string {
  const shown = rows.slice(-14);
  const columns = Math.min(8, rows[0]?.visitors.length ?? 0);
  const head = ["first seen (UTC)", ...Array.from({ length: columns }, (_, d) => `day ${d}`)];
  const lines = shown.map((row) => [
    row.cohort,
    ...row.visitors.slice(0, columns).map((n) => (n === null ? "" : formatCount(n))),
  ]);
  const mean = meanRetention(rows).slice(0, columns);
  return renderTable(head, [
    ...lines,
    ["came back", ...mean.map((share) => (share === null ? "" : percent(share)))],
  ]);
}

const percent = (share: number): string =>
  Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "";
