import type { Analytics } from "../../warehouse/history/analytics.ts";
import { meanRetention } from "../../warehouse/history/retention.ts";
import { dateText, percent } from "../format.ts";
import { type Html, html } from "../html.ts";
import { table } from "../table.ts";

/** Latest cohorts that the table shows. */
const COHORTS = 31;

/** Renders who came back; nothing if no day is complete. */
export function retentionCard({ retention, timezone }: Analytics): Html | false {
  if (retention.length === 0) return false;
  const later = [...(retention[0]?.visitors.keys() ?? [])].slice(1);
  const share = (part: number | null | undefined, all: number) =>
    part === null || part === undefined ? "" : percent(part / all);
  const rows = retention.slice(-COHORTS).map(({ cohort, visitors }) => {
    const size = visitors[0] ?? 0;
    return [dateText(cohort), size, ...later.map((day) => share(visitors[day], size))];
  });
  const mean = meanRetention(retention);
  const total = retention.reduce((sum, row) => sum + (row.visitors[0] ?? 0), 0);
  const last = ["all", total, ...later.map((day) => share(mean[day], 1))];
  const next = mean[1];
  return html`<div class="card full figures"><h3>${typeof next === "number" ? `${percent(next)} of visitors come back on the next day` : "No visitor can have come back yet"}</h3>
<p class="note">Visitors by the day they were first seen (${timezone}), and the share of them that came on a later day. Only complete days count, and no skewed clocks, so these are fewer visitors than above.</p>
${table("Retention by cohort", ["first seen", "visitors", ...later.map((day) => `day ${day}`)], [...rows, last])}</div>`;
}
