/** A metric counted from a mart, the same wherever it is shown. */
export interface MartMetric {
  readonly label: string;
  /** ClickHouse SQL; times as `mart.column`, which no alias of a chart hides. */
  readonly expression: string;
  /** share: 0 to 1. mean: one decimal. average: no decimals. */
  readonly unit: "count" | "share" | "mean" | "average";
  readonly description: string;
}

type Metrics = Readonly<Record<string, MartMetric>>;

const count = (label: string, expression: string, description: string): MartMetric => ({
  label,
  expression,
  unit: "count",
  description,
});

/** For columns that are additive over rows. */
const sum = (column: string, label: string, description: string): Metrics => ({
  [`sum_${column}`]: count(label, `sum(${column})`, description),
});

const VISITORS = "uniqExactIf(user_custom_id, user_custom_id != '')";

const ofEvents = {
  page_events: count("Page events", "count()", "Pages seen, purchases included"),
  visits: count("Sessions", "uniqExact(click_id)", "Sessions with at least one of the events"),
  visitors: count("Visitors", VISITORS, "Different visitors, registered or not"),
  purchases: count("Purchases", "countIf(event_type = 'purchase')", "Completed purchases"),
  page_events_per_day: {
    label: "Page events per day",
    expression: "count() / uniqExact(v_events_enriched.event_date)",
    unit: "average",
    description: "Mean over the days that have any",
  },
} as const satisfies Metrics;

const ofRegisteredSessions = {
  visits: count("Sessions", "count()", "Sessions with at least one page event"),
  visitors: count("Visitors", VISITORS, "Different visitors"),
  purchases: count("Purchases", "countIf(has_purchase)", "Sessions that ended in a purchase"),
  conversion: {
    label: "Conversion",
    expression: "avg(has_purchase)",
    unit: "share",
    description: "Share of sessions with a purchase",
  },
  pages_per_visit: {
    label: "Pages per session",
    expression: "avg(page_events)",
    unit: "mean",
    description: "Mean page events of a session",
  },
  median_minutes: {
    label: "Median minutes",
    expression: "quantileExact(0.5)(duration_seconds) / 60",
    unit: "mean",
    description: "From the first to the last page event",
  },
} as const satisfies Metrics;

const ofSessions = {
  ...ofRegisteredSessions,
  registered_share: {
    label: "Registered",
    expression: "avg(is_registered)",
    unit: "share",
    description: "Share of sessions by visitors with an account",
  },
} as const satisfies Metrics;

export const martMetrics = {
  v_events_enriched: ofEvents,
  session: ofSessions,
  v_session_overview: ofRegisteredSessions,
  v_funnel: sum("visits", "Sessions", "Sessions that reached the stage or went beyond it"),
  v_retention: {
    ...sum("visitors", "Visitors", "Visitors who came on that day"),
    returned: {
      label: "Came back",
      expression: "sum(visitors) / sum(cohort_visitors)",
      unit: "share",
      description: "Share of the cohorts old enough to have that day",
    },
  },
  dq_summary: {
    amount: count("Count", "sum(value)", "Rows or markers"),
    orphans: count(
      "Events without a session",
      "sumIf(value, metric = 'orphan_events')",
      "Anything but 0 is a broken link",
    ),
  },
  v_daily_activity: sum("page_events", "Page events", "Sum over the days"),
  v_hourly_activity: sum("page_events", "Page events", "Sum over the hours"),
  v_sources: {
    ...sum("visits", "Sessions", "Sessions that began with the source"),
    ...sum("purchases", "Purchases", "Sessions with a purchase"),
  },
  v_audience: {
    ...sum("visits", "Sessions", "Sessions"),
    ...sum("registered_visits", "Registered sessions", "Sessions of visitors with an account"),
  },
} as const satisfies Readonly<Record<string, Metrics>>;

export type MartName = keyof typeof martMetrics;
