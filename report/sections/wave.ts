import { parseMicros } from "../../contract/time.ts";
import { dayWeightOf } from "../../generator/behaviour/behaviour.ts";
import type { ModelConfig } from "../../generator/behaviour/config.ts";
import { coefficientOfHour } from "../../generator/model/budget.ts";
import type { Analytics } from "../../warehouse/history/analytics.ts";
import type { HistoryModel } from "../../warehouse/history/model.ts";
import { ratioToModel } from "../../warehouse/history/wave.ts";
import { drawDays } from "../charts/bars.ts";
import { drawProfile, drawWave, WAVE_HOURS } from "../charts/wave.ts";
import { figure } from "../figure.ts";
import { busiestDay, busiestHour, hourOfDay } from "../findings.ts";
import { dateText, hourText, minuteText, percent, whole, withoutYear } from "../format.ts";
import { html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

/** @param model of generated data; the others are compared with none */
export function waveSection(analytics: Analytics, model: HistoryModel | undefined): Section {
  const body = html`<p class="lead">The daily wave is the change of the number of page events over the hours of a day. ${model && aboutModel(analytics, model)}</p>
<div class="grid">
${hours(analytics, model)}
${profile(analytics, model)}
${days(analytics)}
</div>`;
  return { id: "wave", title: "Daily wave", body };
}

const aboutModel = (analytics: Analytics, { config, doubt }: HistoryModel) =>
  html`The target is a base intensity times a daily coefficient: × ${coefficientOfHour(0)} at night (00 to 05 h), × ${coefficientOfHour(9)} by day (09 to 18 h, ${config.timezone}), × 1 in between${dateWeights(analytics, config)}. ${doubt && html`<strong>${doubt}</strong>`}`;

/** Names the range of the weights of dates, if there are any. */
function dateWeights({ days: activity }: Analytics, config: ModelConfig): string {
  const weightOf = dayWeightOf(config);
  const weights = activity.map(({ day }) => weightOf(parseMicros(`${day}T00:00:00Z`)));
  if (weights.every((weight) => weight === 1)) return "";
  const [least, most] = [Math.min(...weights), Math.max(...weights)].map((w) => w.toFixed(2));
  return `; and times a weight of the date (UTC), here × ${least} to × ${most}`;
}

function hours({ wave, totals, timezone }: Analytics, model: HistoryModel | undefined) {
  const shown = wave.slice(-WAVE_HOURS);
  const ratio = model && percent(ratioToModel(wave));
  const notes = [
    ratio && html`Over all hours <strong>${ratio}</strong> of the model's intensity. `,
    wave.length > WAVE_HOURS && `The chart shows the latest ${WAVE_HOURS / 24} days. `,
    totals.skewed_events > 0 &&
      `${whole(totals.skewed_events)} events of skewed clocks are excluded here.`,
  ];
  return figure({
    finding: busiestHour(shown, timezone),
    subject: `Page events per hour, ${timezone}`,
    description: `Line of page events per hour${ratio ? ` with the model's intensity as steps; over all hours ${ratio} of the model` : ""}.`,
    draw: drawWave(wave, timezone),
    span: "full",
    height: 300,
    note: notes.some(Boolean) && notes,
    table: table(
      "Page events per hour",
      [`hour (${timezone})`, "page events", ...(model ? ["model"] : [])],
      shown.map((point) => [
        minuteText(point.shown),
        point.observed,
        ...(model ? [point.expected] : []),
      ]),
    ),
  });
}

const profile = ({ profile: hoursOfDay, timezone }: Analytics, model: HistoryModel | undefined) =>
  figure({
    finding: hourOfDay(hoursOfDay, timezone),
    subject: `Mean page events by hour of the day, ${timezone}`,
    description: `Bars of mean page events by hour of the day${model ? ", with the model as steps" : ""}.`,
    draw: drawProfile(hoursOfDay),
    span: "half",
    height: 260,
    table: table(
      "Mean page events by hour of the day",
      ["hour", "events per hour", ...(model ? ["model", "ratio"] : [])],
      hoursOfDay.map(({ hour, observed, expected }) => [
        hourText(hour),
        observed,
        ...(model ? [expected, percent(observed / expected)] : []),
      ]),
    ),
  });

const days = ({ days: activity, timezone }: Analytics) =>
  figure({
    finding: busiestDay(activity),
    subject: `Sessions and visitors per day, ${timezone}`,
    description: "Bars of sessions and visitors per day.",
    draw: drawDays(
      activity.map(({ day }) => withoutYear(dateText(day))),
      [
        { name: "Sessions", values: activity.map((d) => d.sessions) },
        { name: "Visitors", values: activity.map((d) => d.visitors) },
      ],
    ),
    span: "half",
    height: 260,
    table: table(
      "Activity per day",
      [
        `day (${timezone})`,
        "page events",
        "sessions",
        "visitors",
        "purchases",
        "revenue",
        "refunds",
        "net revenue",
      ],
      activity.map((d) => [
        dateText(d.day),
        d.page_events,
        d.sessions,
        d.visitors,
        d.purchases,
        d.revenue,
        d.refunds,
        d.net_revenue,
      ]),
    ),
  });
