import { SESSION_PAUSE_MINUTES } from "./time.ts";

/** Descriptions of the columns that the marts add to those of the messages. */
export const martColumns = {
  user_custom_id: "Visitor, registered or not; NULL if unknown",
  first_channel: "How the visitor's first session came",
  first_utm_source: "utm_source of the visitor's first session",
  first_utm_campaign: "utm_campaign of the visitor's first session",
  first_entry_page: "First page of the visitor's first session",
  last_channel: "How the visitor's last session came",
  last_utm_source: "utm_source of the visitor's last session",
  last_utm_campaign: "utm_campaign of the visitor's last session",
  last_entry_page: "First page of the visitor's last session",
  first_date: "Day by the site's clock on which the visitor's first session began",
  first_seen: "First page event of the visitor, UTC",
  last_seen: "Last page event of the visitor, UTC",
  event_date: "Day of the event by the site's clock; filter by it to read only part of the data",
  session_hour: "Hour by the site's clock in which the session began; the type calls it UTC",
  event_hour: "Hour of the event by the site's clock, which the type calls UTC",
  event_markers: "Markers of defects in the event",
  click_markers: "Markers of defects in the event's session",
  session_date: "Day by the site's clock on which the session began",
  started_at: "First event of the session, UTC",
  ended_at: "Last event of the session, UTC",
  entry_page: "First page of the session",
  exit_page: "Last page of the session",
  channel:
    "How the session came: the campaign's medium, without a campaign the class of the referrer; unknown without a page",
  previous_page:
    "Page before it in the session; empty for the first one, and if the page before is unknown",
  next_page:
    "Page after it in the session; empty for the last one, and if the page after is unknown",
  page_number: "Position of the page event in the session, from 1",
  page_stage: "Number of the funnel stage of the page; 0 none",
  time_on_page_seconds:
    "Until the next page event of the session, seconds; NULL for the last one and for a fast clock beside right ones",
  is_entry: "Whether the session entered with the page: the first with a known location",
  is_exit: "Whether the session ended with the page: the last with a known location",
  page_events: "Page views and purchases",
  events: "Events of the type",
  funnel_stage: "Number of the furthest funnel stage with a page of the session; 0 none",
  stages_reached: "Funnel stages up to the furthest one, in order",
  stages_seen: "Funnel stages of which the session saw a page, in order",
  seen_sessions: "Sessions that saw a page of the stage",
  stage_number: "Position of the stage in the funnel, from 1",
  stage: "Funnel stage that the session reached",
  duration_seconds: "From the first to the last event, seconds",
  engaged_seconds: `Between successive events, seconds; of a longer gap ${SESSION_PAUSE_MINUTES} minutes count, the session timeout of Google Analytics 4`,
  experiment_variant:
    "Experiment and variant, the parameter exp of the page URLs; empty without one",
  session_number:
    "Position among the visitor's sessions by time, from 1; NULL if the visitor or the time is unknown",
  is_new: "Whether it is the visitor's first session; NULL if the visitor or the time is unknown",
  is_registered: "Whether the visitor has an account",
  is_mobile: "Whether the device is a phone or tablet",
  has_purchase: "Whether the session has at least one purchase",
  is_bounce: "Whether the session has a single page event",
  bounces: "Sessions with a single page event",
  bounce_rate: "Share of sessions with a single page event",
  conversion: "Share of sessions with a purchase",
  first_sessions: "Sessions at the first stage",
  previous_sessions: "Sessions at the stage before; of the first stage its own",
  share_of_first: "Sessions of the stage by those of the first; NULL without such",
  share_of_previous: "Sessions of the stage by those of the stage before; NULL without such",
  clock:
    "'ahead' if every event of the session has a timestamp after it was sent, so that its day is wrong; else 'right'",
  sessions: "Sessions",
  registered_sessions: "Sessions of visitors with an account",
  visitors: "Different visitors",
  purchases: "Completed purchases; a session may have several",
  revenue: "Value of the purchases, in the currency of the data",
  refunds: "Value of the refunds, in the currency of the data",
  net_revenue: "Revenue without the refunds",
  purchase_sessions: "Sessions with at least one purchase",
  skewed_events:
    "Page events with a clock that is ahead; in totals, but not in counts per day or hour",
  whole_hours_from: "Start of the first hour whose events are complete, by the site's clock",
  whole_hours_until: "End of the last hour whose events are complete, by the site's clock",
  timezone: "Time zone of the site, by whose clock the marts count days and hours",
  last_complete_day:
    "Last day by the site's clock that gets no more events: the next one has an event, or the generated history ends after it",
  cohort: "Day by the site's clock of the visitor's first session",
  day_number: "Days since the first session",
  cohort_week: "Monday of the week of the visitor's first session",
  week_number: "Weeks since the week of the first session, from 0",
  share: "Share of the cohort's visitors with a session in that week, 0 to 1",
  first_touch_purchases: "Purchases of visitors whose first session came through the channel",
  last_touch_purchases: "Purchases in sessions that came through the channel",
  linear_purchases:
    "Purchases, divided equally among the sessions of the visitor up to the one with the purchase",
  cohort_visitors: "Visitors of the cohort",
  layer: "Layer of the data: stg, ods, dds or dm",
  entity: "Table of the layer",
  metric: "rows, typed, rejected, superseded, a data-quality marker, duplicates or orphan_events",
  value: "Value of the metric",
  position: "Place of the effect in the manifest, from 1",
  effect: "What is counted; with its times if the truth changes within the history",
  segment: "Part of the sessions; of a difference both, with a minus",
  truth:
    "Share or mean amount that the generator's parameters determine; of a difference, that of two",
  estimate: "Share or mean amount in the marts",
  low: "Lower end of the 95 % interval of the estimate",
  high: "Upper end of the 95 % interval of the estimate",
  verdict: "'inside' if the interval contains the truth, else 'outside'",
  lease_id: "Number of the lease under which the batch process computed the row",
  computed_date: "UTC day on which the batch process computed the value",
  change: "Difference from the previous day that has the metric; null for the first",
  computed_at: "When the batch process computed the value, UTC wall-clock time",
} as const satisfies Readonly<Record<string, string>>;

/** Headings of columns whose name is not readable as a heading. */
const LABELS: Readonly<Record<string, string>> = {
  referer_medium: "Referrer",
  geo_country: "Country",
  device_type: "Device",
  browser_name: "Browser",
  os_name: "Operating system",
  utm_source: "UTM source",
  utm_campaign: "Campaign",
};

const ACRONYMS = /\b(utm|os|ip|url|id)\b/g;

/** Converts a column name to a heading: `geo_region_name` → `Geo region name`. */
export function labelOf(column: string): string {
  const words = column.replaceAll("_", " ").replace(ACRONYMS, (word) => word.toUpperCase());
  return LABELS[column] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
