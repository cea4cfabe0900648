/** Metric computed from a mart, with one definition for all charts. */
export interface MartMetric {
  readonly label: string;
  /** ClickHouse SQL; time columns are qualified (`mart.column`), because chart aliases hide bare names. */
  readonly expression: string;
  /** Format of D3. */
  readonly format: string;
  readonly about: string;
}

type Metrics = Readonly<Record<string, MartMetric>>;

const metricIn =
  (format: string) =>
  (label: string, expression: string, about: string): MartMetric => ({
    label,
    expression,
    format,
    about,
  });

const count = metricIn(",d");
/** Of a whole, 0 to 1. */
const share = metricIn(".1%");
const mean = metricIn(",.1f");
const wholeMean = metricIn(",.0f");

/** Defines a sum; only for columns that are additive over rows. */
const sum = (column: string, label: string, about: string): Metrics => ({
  [`sum_${column}`]: count(label, `sum(${column})`, about),
});

/** Number of visitors; unknown ones are NULL and do not count. */
const VISITORS = "uniqExact(user_custom_id)";

const PAGE_EVENTS = "countIf(event_type IN ('pageview', 'purchase'))";
const REVENUE = "Value of the purchases, in the currency of the data";
const REFUNDS = "Value of the refunds, in the currency of the data";
const NET_REVENUE = "Revenue without the refunds";
const PURCHASES = "Completed purchases; a session may have several";
const PURCHASE_VISITS = "Sessions with at least one purchase";

const ofEvents = {
  page_events: count("Page events", PAGE_EVENTS, "Page events, including purchases"),
  events: count("Events", "count()", "Events of all types"),
  sessions: count(
    "Sessions",
    "uniqExact(click_id)",
    "Sessions with at least one event in the selection",
  ),
  visitors: count("Visitors", VISITORS, "Different visitors, registered or not"),
  purchases: count("Purchases", "countIf(event_type = 'purchase')", PURCHASES),
  revenue: count("Revenue", "sumIf(order_value, event_type = 'purchase')", REVENUE),
  refunds: count("Refunds", "sumIf(order_value, event_type = 'refund')", REFUNDS),
  page_events_per_day: wholeMean(
    "Page events per day",
    `${PAGE_EVENTS} / uniqExact(v_events_enriched.event_date)`,
    "Mean over the days with events",
  ),
} as const satisfies Metrics;

const { page_events, sessions, visitors, purchases } = ofEvents;
const liveEventMetrics = { page_events, sessions, visitors, purchases };

const ofRegisteredSessions = {
  sessions: count("Sessions", "count()", "Sessions with at least one event"),
  visitors: count("Visitors", VISITORS, "Different visitors"),
  purchases: count("Purchases", "sum(purchases)", PURCHASES),
  revenue: count("Revenue", "sum(revenue)", REVENUE),
  refunds: count("Refunds", "sum(refunds)", REFUNDS),
  net_revenue: count("Net revenue", "sum(net_revenue)", NET_REVENUE),
  average_order: mean(
    "Average order",
    "sum(revenue) / nullIf(sum(purchases), 0)",
    "Mean value of a purchase",
  ),
  purchase_sessions: count("Sessions with purchase", "countIf(has_purchase)", PURCHASE_VISITS),
  conversion: share("Conversion", "avg(has_purchase)", "Share of sessions with a purchase"),
  pages_per_session: mean(
    "Pages per session",
    "avg(page_events)",
    "Mean number of page events per session",
  ),
  median_minutes: mean(
    "Median minutes",
    "quantileExact(0.5)(duration_seconds) / 60",
    "From the first to the last page event",
  ),
} as const satisfies Metrics;

const ofSessions = {
  ...ofRegisteredSessions,
  bounce_rate: share("Bounce rate", "avg(is_bounce)", "Share of sessions with a single page event"),
  engaged_minutes: mean(
    "Engaged minutes",
    "avg(engaged_seconds) / 60",
    "Mean engaged time of a session",
  ),
  sessions_per_visitor: mean(
    "Sessions per visitor",
    "countIf(isNotNull(user_custom_id)) / uniqExact(user_custom_id)",
    "Sessions of known visitors, per visitor",
  ),
  registered_share: share(
    "Registered",
    "avg(is_registered)",
    "Share of sessions by visitors with an account",
  ),
} as const satisfies Metrics;

/** Metrics of a funnel by day. */
const ofStages = (sessions: string) =>
  ({
    stage_number: count("No.", "min(stage_number)", "Place of the stage in the funnel"),
    ...sum("sessions", "Sessions", sessions),
    share_of_first: share(
      "Of the first stage",
      "sum(sessions) / nullIf(sum(first_sessions), 0)",
      "Sessions of the stage by those of the first",
    ),
    share_of_previous: share(
      "Of the previous stage",
      "sum(sessions) / nullIf(sum(previous_sessions), 0)",
      "Sessions of the stage by those of the stage before",
    ),
  }) as const satisfies Metrics;

const ofPageViews = {
  page_views: count("Page views", "count()", "Page events, including purchases"),
  median_seconds: mean(
    "Median seconds",
    "quantileExact(0.5)(time_on_page_seconds)",
    "Time until the next page event of the session; without the last pages",
  ),
  entries: count("Entries", "countIf(is_entry)", "Sessions that began on the page"),
  exit_rate: share("Exit rate", "avg(is_exit)", "Share of the page views that ended their session"),
} as const satisfies Metrics;

/** Value of one effect; only for rows grouped by effect and segment. */
const ofEffect = (label: string, column: string, about: string): MartMetric =>
  share(label, `min(${column})`, `${about}; group by effect`);

export const martMetrics = {
  v_events_enriched: ofEvents,
  session: ofSessions,
  v_session_overview: ofRegisteredSessions,
  page_view: ofPageViews,
  v_funnel: {
    ...sum("sessions", "Sessions", "Sessions that reached the stage or a later one"),
    ...sum("seen_sessions", "Saw a page", "Sessions that saw a page of the stage"),
  },
  v_retention: {
    ...sum("visitors", "Visitors", "Visitors who came on that day"),
    returned: share(
      "Came back",
      "sum(visitors) / sum(cohort_visitors)",
      "Share of the visitors in cohorts old enough to reach that day",
    ),
  },
  v_live_events: liveEventMetrics,
  v_live_minutes: {
    ...sum("page_events", "Page events", "Page events, including purchases"),
    ...sum("purchases", "Purchases", PURCHASES),
    ...sum("rejected_messages", "Rejected messages", "Messages that a load rejects"),
  },
  v_live_now: {
    active_visitors: count(
      "Active visitors",
      "max(active_visitors)",
      "Visitors with an event in the last 5 minutes",
    ),
    message_age: count("Since the newest message", "max(message_age_seconds)", "Seconds"),
    marts_behind: count("Marts behind stg", "max(marts_behind_seconds)", "Seconds"),
    event_lag: count("From event to arrival", "max(event_lag_seconds)", "Seconds, median"),
  },
  complete_period: {
    minutes_since_load: count(
      "Minutes since the marts changed",
      "dateDiff('minute', (SELECT max(computed_at) FROM dm.dq_summary), now())",
      "Minutes since the batch process last changed the marts; the marts lack what came later",
    ),
    event_lag_minutes: count(
      "Minutes that event times lag",
      "dateDiff('minute', max(complete_period.newest_event), (SELECT max(computed_at) FROM dm.dq_summary))",
      "Minutes from the newest event to the load that brought it: constant after a history or a pause, and large for data of the past",
    ),
  },
  dq_summary: {
    amount: count("Count", "sum(value)", "Rows or markers"),
    orphans: count(
      "Events without a session",
      "sumIf(value, metric = 'orphan_events')",
      "Any value except 0 is an error",
    ),
  },
  v_dq_summary_daily: {
    amount: count("Count", "sum(value)", "Rows or markers at the end of a day; group by day"),
  },
  v_daily_activity: {
    ...sum("page_events", "Page events", "Sum of page events over the days"),
    ...sum("revenue", "Revenue", REVENUE),
    ...sum("refunds", "Refunds", REFUNDS),
    ...sum("net_revenue", "Net revenue", NET_REVENUE),
  },
  v_event_types: {
    ...sum("events", "Events", "Events of the type"),
    ...sum("order_value", "Value", "Sum of order_value of the events"),
  },
  v_hourly_activity: sum("page_events", "Page events", "Sum of page events over the hours"),
  v_sources: {
    ...sum("sessions", "Sessions", "Sessions that began with the source"),
    ...sum("purchases", "Purchases", PURCHASES),
    ...sum("revenue", "Revenue", REVENUE),
    ...sum("refunds", "Refunds", REFUNDS),
    ...sum("net_revenue", "Net revenue", NET_REVENUE),
    ...sum("purchase_sessions", "Sessions with purchase", PURCHASE_VISITS),
  },
  v_channels: {
    ...sum("sessions", "Sessions", "Sessions that came through the channel"),
    ...sum("bounces", "Bounces", "Sessions with a single page event"),
    ...sum("purchases", "Purchases", PURCHASES),
    ...sum("revenue", "Revenue", REVENUE),
    ...sum("refunds", "Refunds", REFUNDS),
    ...sum("net_revenue", "Net revenue", NET_REVENUE),
    ...sum("purchase_sessions", "Sessions with purchase", PURCHASE_VISITS),
  },
  v_channels_daily: {
    ...sum("sessions", "Sessions", "Sessions that came through the channel"),
    ...sum("purchase_sessions", "Sessions with purchase", PURCHASE_VISITS),
    bounce_rate: share(
      "Bounce rate",
      "sum(bounces) / sum(sessions)",
      "Share of sessions with a single page event",
    ),
    conversion: share(
      "Conversion",
      "sum(purchase_sessions) / sum(sessions)",
      "Share of sessions with a purchase",
    ),
  },
  v_funnel_ordered: ofStages("Sessions that saw the stages up to this one in order"),
  v_funnel_unordered: ofStages("Sessions that saw a page of the stage"),
  v_attribution: {
    ...sum(
      "first_touch_purchases",
      "First touch",
      "Purchases of visitors whose first session came through the channel",
    ),
    ...sum(
      "last_touch_purchases",
      "Last touch",
      "Purchases in sessions that came through the channel",
    ),
    ...sum(
      "linear_purchases",
      "Linear",
      "Purchases, divided equally among the sessions of the visitor up to the one with the purchase",
    ),
  },
  truth: {
    place: count("No.", "min(position)", "Place of the effect in the manifest"),
    true_value: ofEffect("Truth", "truth", "Share that the generator's parameters determine"),
    estimated_value: ofEffect("Estimate", "estimate", "Share in the marts"),
    interval_low: ofEffect("From", "low", "Lower end of the 95 % interval"),
    interval_high: ofEffect("To", "high", "Upper end of the 95 % interval"),
    counted_sessions: count("Sessions", "min(sessions)", "Sessions that count; group by effect"),
    inside_share: share(
      "Intervals with the ground truth",
      "countIf(verdict = 'inside') / nullIf(count(), 0)",
      "Share of the 95 % intervals that contain the ground truth; about 95 % are expected",
    ),
  },
  v_cohort_retention: {
    ...sum("visitors", "Visitors", "Visitors who came in that week"),
    returned: share(
      "Came back",
      "sum(visitors) / sum(cohort_visitors)",
      "Share of the visitors in cohorts old enough to reach that week",
    ),
  },
  v_audience: {
    ...sum("sessions", "Sessions", "Sessions"),
    ...sum("registered_sessions", "Registered sessions", "Sessions of visitors with an account"),
    ...sum("purchase_sessions", "Sessions with purchase", PURCHASE_VISITS),
  },
} as const satisfies Readonly<Record<string, Metrics>>;

export type MartName = keyof typeof martMetrics;
