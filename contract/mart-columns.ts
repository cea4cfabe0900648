/** Descriptions of the columns that the marts add to those of the messages. */
export const martColumns = {
  event_date: "UTC day of the page event; filters by it read only that day",
  event_hour: "UTC hour of the page event",
  event_markers: "What is wrong with the page event",
  click_markers: "What is wrong with its session",
  session_date: "UTC day on which the session began",
  started_at: "First page event of the session, UTC",
  ended_at: "Last page event of the session, UTC",
  entry_page: "First page of the session",
  exit_page: "Last page of the session",
  page_events: "Page events",
  funnel_stage: "Furthest page: 1 home, 2 product, 3 cart, 4 payment, 5 confirmation; 0 none",
  stage_number: "Place of the stage in the funnel, from 1",
  stage: "Funnel stage that was reached",
  duration_seconds: "From the first to the last page event, seconds",
  is_registered: "Whether the visitor has an account",
  is_mobile: "Whether the device is a phone or tablet",
  has_purchase: "Whether the session ended in a purchase",
  clock:
    "Whether the session's times are right; 'ahead': all its events are stamped later than sent",
  visits: "Sessions",
  registered_visits: "Sessions of visitors with an account",
  visitors: "Different visitors",
  purchases: "Purchases",
  cohort: "UTC day of the visitor's first session",
  day_number: "Days since the first session",
  cohort_visitors: "Visitors whose first session was on that day",
  layer: "Layer of the data: ods, dds or dm",
  entity: "Table of the layer",
  metric: "rows, typed, rejected, superseded, a data-quality marker, duplicates or orphan_events",
  value: "How many",
  computed_at: "When the batch process counted, UTC wall time",
} as const satisfies Readonly<Record<string, string>>;

/** Headings for columns whose name is not one. */
const LABELS: Readonly<Record<string, string>> = {
  referer_medium: "Source",
  geo_country: "Country",
  device_type: "Device",
  browser_name: "Browser",
  os_name: "Operating system",
  utm_source: "UTM source",
  utm_campaign: "Campaign",
};

const ACRONYMS = /\b(utm|os|ip|url|id)\b/g;

/** `geo_region_name` → `Geo region name`. */
export function labelOf(column: string): string {
  const words = column.replaceAll("_", " ").replace(ACRONYMS, (word) => word.toUpperCase());
  return LABELS[column] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
