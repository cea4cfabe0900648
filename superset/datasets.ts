import type { MarkerName } from "../contract/markers.ts";
import { type MartMetric, type MartName, martMetrics } from "../contract/mart-metrics.ts";
import type { Calculated, Dataset } from "./model.ts";

const FORMATS: Readonly<Record<MartMetric["unit"], string>> = {
  count: ",d",
  share: ".1%",
  mean: ",.1f",
  average: ",.0f",
};

interface Described {
  readonly table: MartName;
  readonly about: string;
  readonly time: string | null;
  readonly calculated?: readonly Calculated[];
}

const dataset = ({ calculated = [], ...described }: Described): Dataset => ({
  ...described,
  metrics: Object.entries<MartMetric>(martMetrics[described.table]).map(
    ([key, { label, expression, unit, description }]) => ({
      key,
      label,
      expression,
      format: FORMATS[unit],
      about: description,
    }),
  ),
  calculated,
});

/** Qualified with their table for the reason in bundle.ts. */
const weekday: Calculated = {
  name: "weekday",
  type: "String",
  // Numbered, so that the alphabetical order is the order of the week.
  expression:
    "['1 Mon', '2 Tue', '3 Wed', '4 Thu', '5 Fri', '6 Sat', '7 Sun'][toDayOfWeek(v_events_enriched.event_timestamp, 0, 'UTC')]",
  description: "UTC day of the week",
};

const hourOfDay: Calculated = {
  name: "hour_of_day",
  type: "UInt8",
  expression: "toHour(v_events_enriched.event_timestamp, 'UTC')",
  description: "UTC hour of the day, 0 to 23",
};

const IS_AHEAD = `has(event_markers, '${"skewed_clock" satisfies MarkerName}')`;

const clock: Calculated = {
  name: "clock",
  type: "String",
  expression: `if(${IS_AHEAD}, 'ahead', 'right')`,
  description: "Whether the event's time is right; 'ahead': stamped later than it was sent",
};

/** Independent of filters; a first event in minute 0 makes its hour whole. */
const firstWholeHour =
  "(SELECT toStartOfHour(min(event_enriched.event_timestamp) + INTERVAL 59 MINUTE, 'UTC') FROM dm.event_enriched)";
const endOfWholeHours = `(SELECT toStartOfHour(maxIf(event_enriched.event_timestamp, NOT ${IS_AHEAD}) + INTERVAL 1 MINUTE, 'UTC') FROM dm.event_enriched)`;

const hour: Calculated = {
  name: "hour",
  type: "String",
  expression: `if(v_events_enriched.event_timestamp >= ${firstWholeHour} AND v_events_enriched.event_timestamp < ${endOfWholeHours}, 'whole', 'partial')`,
  description: "'partial': of the hour in which the data begins, or of the last, which is filling",
};

export const events = dataset({
  table: "v_events_enriched",
  about: "One row per page event with the facts of its session",
  time: "event_timestamp",
  calculated: [weekday, hourOfDay, clock, hour],
});

/** As in dm.v_funnel, which is aggregated by day; here a date filter may select hours. */
const stage: Calculated = {
  name: "stage",
  type: "String",
  expression:
    "['home', 'product', 'cart', 'payment', 'confirmation'][arrayJoin(range(1, toUInt16(funnel_stage) + 1))]",
  description: "Funnel stage that was reached; a session counts at each one up to its furthest",
};

const named = (name: string, column: string, what: string): Calculated => ({
  name,
  type: "String",
  expression: `if(${column} = '', 'not known', ${column})`,
  description: `${what}, or 'not known'`,
});

export const sessions = dataset({
  table: "session",
  about: "One row per session, registered or not",
  time: "started_at",
  calculated: [
    stage,
    named("source_name", "referer_medium", "Class of the referrer"),
    named("device_name", "device_type", "Kind of device"),
    named("system_name", "os_name", "Operating system"),
  ],
});

export const registeredSessions = dataset({
  table: "v_session_overview",
  about: "One row per session of a visitor with an account",
  time: "started_at",
});

export const retention = dataset({
  table: "v_retention",
  about: "Visitors who came back, by the day of their first session and days since then",
  time: "cohort",
});

const kind: Calculated = {
  name: "kind",
  type: "String",
  expression:
    "multiIf(metric IN ('rows', 'typed'), 'rows', metric IN ('rejected', 'superseded', 'orphan_events'), 'outcome', 'defect')",
  description:
    "rows of a table, defect: records with something wrong, outcome: of the batch process",
};

export const quality = dataset({
  table: "dq_summary",
  about: "Rows, markers and broken links of every layer, as the batch process last counted them",
  time: null,
  calculated: [kind],
});

export const funnel = dataset({
  table: "v_funnel",
  about: "Sessions per day, source, device, country and funnel stage that they reached",
  time: "session_date",
});

/** Marts without a chart on the dashboard, for charts of users. */
const others: readonly Dataset[] = [
  dataset({
    table: "v_daily_activity",
    about: "Page events, sessions, visitors and purchases per UTC day",
    time: "event_date",
  }),
  dataset({
    table: "v_hourly_activity",
    about: "Page events and sessions per UTC hour",
    time: "event_hour",
  }),
  dataset({
    table: "v_sources",
    about: "Sessions, page events and purchases per day and source",
    time: "session_date",
  }),
  dataset({
    table: "v_audience",
    about:
      "Sessions per day, country, device and browser; visitors of several rows are not additive",
    time: "session_date",
  }),
];

export const datasets: readonly Dataset[] = [
  events,
  sessions,
  registeredSessions,
  funnel,
  retention,
  quality,
  ...others,
];
