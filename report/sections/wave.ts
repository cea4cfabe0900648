import { parseMicros } from "../../contract/time.ts";
import { dayWeightOf } from "../../generator/behaviour/behaviour.ts";
import type { ModelConfig } from "../../generator/config.ts";
import { coefficientOfHour } from "../../generator/model/budget.ts";
import type { Analytics } from "../../warehouse/history/analytics.ts";
import { ratioToModel } from "../../warehouse/history/wave.ts";
import { drawDays } from "../charts/bars.ts";
import { drawProfile, drawWave, WAVE_HOURS } from "../charts/wave.ts";
import { figure } from "../figure.ts";
import { minuteText, percent, whole } from "../format.ts";
import { type Content, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

export function waveSection(analytics: Analytics, config: ModelConfig, caveat?: Content): Section {
  const { timezone } = config;
  const body = html`<p class="lead">The daily wave is the change of the number of page events over the hours of a day. The target is a base intensity times a daily coefficient: × ${coefficientOfHour(0)} at night (00 to 05 h), ×  ${coefficientOfHour(9)} by day (09 to 18 h, ${timezone}), × 1 in between${dateWeights(analytics, config)}. ${caveat}</p>
<div class="grid">
${hours(analytics)}
${profile(analytics, timezone)}
${days(analytics)}
</div>`;
  return { id: "wave", title: "Daily wave", body };
}

/** Names the range of the weights of dates, if there are any. */
function dateWeights({ days: activity }: Analytics, config: ModelConfig): string {
  const weightOf = dayWeightOf(config);
  const weights = activity.map(({ day }) => weightOf(parseMicros(`${day}T00:00:00Z`)));
  if (weights.every((weight) => weight === 1)) return "";
  const [least, most] = [Math.min(...weights), Math.max(...weights)].map((w) => w.toFixed(2));
  return `; and times a weight of the date (UTC), here × ${least} to × ${most}`;
}

function hours({ wave, totals }: Analytics) {
  const cut =
    wave.length > WAVE_HOURS ? ` The chart shows the latest ${WAVE_HOURS / 24} days.` : "";
  const skewed =
    totals.skewed_events > 0
      ? ` ${whole(totals.skewed_events)} events of fast clocks are excluded here.`
      : "";
  return figure({
    title: "Page events per model hour",
    description: `Line of page events per hour with the model's intensity as steps; over all hours ${percent(ratioToModel(wave))} of the model.`,
    draw: drawWave(wave),
    span: "full",
    height: 300,
    note: html`Over all hours <strong>${percent(ratioToModel(wave))}</strong> of the model's intensity.${cut}${skewed}`,
    table: table(
      "Page events per model hour",
      ["hour (UTC)", "page events", "model"],
      wave
        .slice(-WAVE_HOURS)
        .map((point) => [minuteText(point.start), point.observed, point.expected]),
    ),
  });
}

const profile = ({ profile: hoursOfDay }: Analytics, timezone: string) =>
  figure({
    title: `The mean day, by the hour (${timezone})`,
    description: "Bars of mean page events by hour of the day, with the model as steps.",
    draw: drawProfile(hoursOfDay),
    span: "half",
    height: 260,
    table: table(
      "Mean page events by hour of the day",
      ["hour", "events per hour", "model", "ratio"],
      hoursOfDay.map(({ hour, observed, expected }) => [
        `${String(hour).padStart(2, "0")}:00`,
        observed,
        expected,
        percent(observed / expected),
      ]),
    ),
  });

const days = ({ days: activity }: Analytics) =>
  figure({
    title: "Activity per model day",
    description: "Bars of page events and sessions per day.",
    draw: drawDays(
      activity.map((d) => d.day),
      [
        { name: "Page events", values: activity.map((d) => d.page_events) },
        { name: "Sessions", values: activity.map((d) => d.sessions) },
      ],
    ),
    span: "half",
    height: 260,
    table: table(
      "Activity per model day",
      ["day (UTC)", "page events", "sessions", "visitors", "purchases", "revenue"],
      activity.map((d) => [
        d.day,
        d.page_events,
        d.sessions,
        d.visitors,
        d.purchases,
        whole(d.revenue),
      ]),
    ),
  });
