import type { MarkerName } from "../contract/markers.ts";
import { type MartMetric, type MartName, martMetrics } from "./metrics.ts";
import type { CalculatedColumn, Dataset } from "./model.ts";

interface DatasetOptions {
  readonly table: MartName;
  readonly about: string;
  readonly time: string | null;
  readonly calculated?: readonly CalculatedColumn[];
}

const dataset = ({ calculated = [], ...described }: DatasetOptions): Dataset => ({
  ...described,
  metrics: Object.entries<MartMetric>(martMetrics[described.table]).map(([key, metric]) => ({
    key,
    ...metric,
  })),
  calculated,
});

/** Weekday of an event; bundle.ts has the reason for the table name. */
const weekday: CalculatedColumn = {
  name: "weekday",
  type: "String",
  // Numbers make the alphabetical order the order of the week.
  expression:
    "['1 Mon', '2 Tue', '3 Wed', '4 Thu', '5 Fri', '6 Sat', '7 Sun'][toDayOfWeek(v_events_enriched.event_date)]",
  description: "Day of the week by the site's clock",
};

const hourOfDay: CalculatedColumn = {
  name: "hour_of_day",
  type: "UInt8",
  expression: "toHour(v_events_enriched.event_hour, 'UTC')",
  description: "Hour of the day by the site's clock, 0 to 23",
};

const IS_AHEAD = `has(event_markers, '${"skewed_clock" satisfies MarkerName}')`;

const clock: CalculatedColumn = {
  name: "clock",
  type: "String",
  expression: `if(${IS_AHEAD}, 'ahead', 'right')`,
  description: "'right', or 'ahead' for an event time after its emission",
};

/** A bound of the complete hours or days, independent of filters. */
const bound = (column: string): string => `(SELECT max(${column}) FROM dm.complete_period)`;

const hour: CalculatedColumn = {
  name: "hour",
  type: "String",
  expression: `if(v_events_enriched.event_hour >= ${bound("whole_hours_from")} AND v_events_enriched.event_hour < ${bound("whole_hours_until")}, 'whole', 'partial')`,
  description: "'whole', or 'partial' for the first and the last hour of the data",
};

const FIRST_WHOLE_DAY = `toDate(${bound("whole_hours_from")} - INTERVAL 1 SECOND) + 1`;
const LAST_WHOLE_DAY = bound("last_complete_day");

/** Before the first complete day there is nothing to compare, so charts show the days that are there. */
const day = (date: string): CalculatedColumn => ({
  name: "day",
  type: "String",
  expression: `if(${LAST_WHOLE_DAY} < ${FIRST_WHOLE_DAY} OR ${date} BETWEEN ${FIRST_WHOLE_DAY} AND ${LAST_WHOLE_DAY}, 'whole', 'partial')`,
  description:
    "'whole', or 'partial' for a first or last day of the site that is not complete; 'whole' if no day is",
});

export const events = dataset({
  table: "v_events_enriched",
  about: "One row per event with the facts of its session",
  time: "event_hour",
  calculated: [weekday, hourOfDay, clock, hour, day("v_events_enriched.event_date")],
});

/** Stage of the funnel. Unlike dm.v_funnel, it allows filters by hour. */
const stage: CalculatedColumn = {
  name: "stage",
  type: "String",
  expression: "arrayJoin(stages_reached)",
  description:
    "Funnel stage that the session reached; a session counts at each stage up to its last",
};

/** Later sessions together, of which few visitors have many. */
const sessionNumber: CalculatedColumn = {
  name: "session_number_to_10",
  type: "UInt32",
  expression: "if(session_number > 10, 10, session_number)",
  description: "Number of the session among the visitor's; 10 for every later one",
};

export const sessions = dataset({
  table: "session",
  about: "One row per session, registered or not",
  time: "session_hour",
  calculated: [stage, sessionNumber, day("session.session_date")],
});

export const registeredSessions = dataset({
  table: "v_session_overview",
  about: "One row per session of a visitor with an account",
  time: "session_hour",
  calculated: [day("v_session_overview.session_date")],
});

export const retention = dataset({
  table: "v_retention",
  about: "Visitors who came back, by the day of their first session and days since then",
  time: "cohort",
});

const kind: CalculatedColumn = {
  name: "kind",
  type: "String",
  expression:
    "multiIf(metric IN ('rows', 'typed'), 'rows', metric IN ('rejected', 'superseded', 'orphan_events'), 'outcome', 'defect')",
  description:
    "rows: rows of a table; defect: records with a defect; outcome: results of the batch process",
};

export const quality = dataset({
  table: "dq_summary",
  about: "Rows, markers and orphan events of every layer, from the last count of the batch process",
  time: null,
  calculated: [kind],
});

/** Text, because a table of Superset would show the day alone. */
const hoursUntil: CalculatedColumn = {
  name: "hours_until",
  type: "String",
  expression: "formatDateTime(complete_period.whole_hours_until, '%F %R')",
  description: "End of the last complete hour by the site's clock",
};

export const period = dataset({
  table: "complete_period",
  about: "The site's time zone, and until when the marts are complete by its clock",
  time: null,
  calculated: [hoursUntil],
});

export const funnel = dataset({
  table: "v_funnel",
  about: "Sessions per day, source, device, country, clock and funnel stage that they reached",
  time: "session_date",
});

export const funnelInOrder = dataset({
  table: "v_funnel_ordered",
  about: "Sessions per day that saw the stages in order, with shares",
  time: "session_date",
});

export const funnelInAnyOrder = dataset({
  table: "v_funnel_unordered",
  about: "Sessions per day that saw a page of each stage, with shares",
  time: "session_date",
});

export const attribution = dataset({
  table: "v_attribution",
  about: "Purchases per channel by first touch, last touch and linear attribution",
  time: null,
});

export const pageViews = dataset({
  table: "page_view",
  about: "One row per page event with its place in the session",
  time: "event_hour",
});

export const truth = dataset({
  table: "truth",
  about: "Ground truth of a generated history beside its estimate; empty without one",
  time: null,
});

export const liveEvents = dataset({
  table: "v_live_events",
  about: "One row per event that came in the last 30 minutes",
  time: "ingested_at",
});

export const liveMinutes = dataset({
  table: "v_live_minutes",
  about: "One row per minute of the last 30",
  time: "minute",
});

export const liveNow = dataset({
  table: "v_live_now",
  about: "One row: who is active, and how old the data are",
  time: null,
});

/** Marts without a chart on a dashboard, for charts of users. */
const others: readonly Dataset[] = [
  dataset({
    table: "v_cohort_retention",
    about: "Visitors who came back, by the week of their first session and weeks since then",
    time: "cohort_week",
  }),
  dataset({
    table: "v_dq_summary_daily",
    about: "Rows, markers and orphan events of every layer at the end of each UTC day",
    time: "computed_date",
  }),
  dataset({
    table: "v_daily_activity",
    about: "Page events, sessions, visitors, purchases, revenue and refunds per day",
    time: "event_date",
  }),
  dataset({
    table: "v_event_types",
    about: "Events, sessions and visitors per day and event type",
    time: "event_date",
  }),
  dataset({
    table: "v_hourly_activity",
    about: "Page events and sessions per hour of the site's clock",
    time: "event_hour",
  }),
  dataset({
    table: "v_sources",
    about: "Sessions, page events and purchases per day, source and clock",
    time: "session_date",
  }),
  dataset({
    table: "v_channels",
    about: "Sessions, bounces, page events and purchases per day, channel and clock",
    time: "session_date",
  }),
  dataset({
    table: "v_channels_daily",
    about:
      "Sessions, bounces and purchases per day and channel; visitors of several rows are not additive",
    time: "session_date",
  }),
  dataset({
    table: "v_audience",
    about:
      "Sessions per day, country, device, browser and clock; visitors of several rows are not additive",
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
  period,
  pageViews,
  funnelInOrder,
  funnelInAnyOrder,
  attribution,
  truth,
  liveEvents,
  liveMinutes,
  liveNow,
  ...others,
];
