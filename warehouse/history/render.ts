import { callable } from "../../contract/command-call.ts";
import { clockIn, formatMicros, type Micros } from "../../contract/time.ts";
import { formatCount, formatNumber, renderTable } from "../../terminal/format.ts";
import type { Analytics } from "./analytics.ts";
import type { CheckResult } from "./checks/result.ts";
import type { HistoryModel } from "./model.ts";
import { meanRetention } from "./retention.ts";
import { ratioToModel } from "./wave.ts";

/** Formats a result: `ok       counts of browser              manifest 307,429, …`. */
export const checkLine = ({ id, status, detail }: CheckResult): string =>
  callable(`  ${WORDS[status].padEnd(11)}  ${id.padEnd(30)} ${detail}`);

const WORDS = { ok: "ok", failed: "failed", skipped: "not checked" } as const;

/** Summarises the results and names skipped checks, which prove nothing. */
export function checksSummary(results: readonly CheckResult[]): string {
  const of = (status: CheckResult["status"]) =>
    results.filter((result) => result.status === status);
  const unknown = of("skipped");
  const counts = `${formatNumber(results.length, "check")}: ${of("ok").length} ok, ${of("failed").length} failed, ${unknown.length} not checked.`;
  if (unknown.length === 0) return counts;
  const names = unknown.map(({ id, detail }) => callable(`${id} (${detail})`)).join("; ");
  return `${counts}\nSkipped checks, which prove nothing: ${names}.`;
}

/** @param model of generated data; the others are compared with none */
export function renderAnalytics(analytics: Analytics, model: HistoryModel | undefined): string {
  const { interval, timezone } = analytics;
  const [from, to] = [interval.from, interval.to].map((at) => minuteOf(clockIn(timezone)(at)));
  return [
    `History from ${from} to ${to} (${timezone})`,
    totals(analytics),
    days(analytics),
    wave(analytics, model),
    funnel(analytics),
    retention(analytics),
  ].join("\n\n");
}

function totals({ totals: t }: Analytics): string {
  const columns: readonly (readonly [title: string, count: number])[] = [
    ["visitors", t.visitors],
    ["sessions", t.sessions],
    ["page events", t.page_events],
    ["registered sessions", t.registered_sessions],
    ["purchases", t.purchases],
    ["sessions with purchase", t.purchase_sessions],
    ["skewed clocks", t.skewed_events],
  ];
  const head = columns.map(([title]) => title);
  const row = columns.map(([, count]) => count);
  return renderTable(head, [row]);
}

const days = (analytics: Analytics): string =>
  renderTable(
    [`day (${analytics.timezone})`, "visitors", "sessions", "page events", "purchases"],
    analytics.days.map((d) => [d.day, d.visitors, d.sessions, d.page_events, d.purchases]),
  );

function wave(
  { profile, wave: points, timezone }: Analytics,
  model: HistoryModel | undefined,
): string {
  const rows = profile.map(({ hour, observed, expected }) => [
    `${String(hour).padStart(2, "0")}:00`,
    Math.round(observed),
    ...(model ? [Math.round(expected), percent(observed / expected)] : []),
  ]);
  const head = [`hour (${timezone})`, "events per hour"];
  const table = renderTable([...head, ...(model ? ["model", "ratio"] : [])], rows);
  const ratio = model
    ? `Page events over all hours: ${percent(ratioToModel(points))} of the model. `
    : "";
  return `${table}\n${ratio}The last counted hour begins at ${minuteOf(points.at(-1)?.shown ?? 0)}.`;
}

function funnel({ funnel: stages, totals }: Analytics): string {
  return renderTable(
    ["stage", "at least this far", "of all", "of the previous stage", "saw this stage"],
    stages.map(({ stage, sessions, seen_sessions }, i) => [
      stage,
      sessions,
      percent(sessions / totals.sessions),
      i === 0 ? "" : percent(sessions / (stages[i - 1]?.sessions ?? 0)),
      seen_sessions,
    ]),
  );
}

function retention({ retention: rows, timezone }: Analytics): string {
  if (rows.length === 0) return `No cohort: no day (${timezone}) is complete.`;
  const shown = rows.slice(-14);
  const columns = Math.min(8, rows[0]?.visitors.length ?? 0);
  const head = [
    `first seen (${timezone})`,
    ...Array.from({ length: columns }, (_, d) => `day ${d}`),
  ];
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

const minuteOf = (at: Micros): string => formatMicros(at).slice(0, 16);

const percent = (share: number): string =>
  Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "";
