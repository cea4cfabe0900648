import { UNKNOWN } from "../columns.ts";
import { events, period, quality, registeredSessions, retention, sessions } from "../datasets.ts";
import type { Chart, Dataset } from "../model.ts";
import {
  about,
  bars,
  grid,
  IN_WHOLE_HOURS,
  number,
  ON_WHOLE_DAYS,
  overTime,
  RIGHT_CLOCK,
  rows,
  worldMap,
} from "./kinds.ts";

const headline = (key: string, title: string, dataset: Dataset, metric: string): Chart =>
  number(
    about(
      key,
      title,
      dataset,
      `${title} for the selected days, referrers, devices and countries; includes skewed clocks, on the day that they show`,
    ),
    metric,
  );

export const pageEventCount = headline("page_events", "Page events", events, "page_events");
export const sessionCount = headline("sessions", "Sessions", sessions, "sessions");
export const visitorCount = headline("visitors", "Visitors", sessions, "visitors");
export const purchaseCount = headline("purchases", "Purchases", sessions, "purchases");
export const conversion = headline("conversion", "Conversion", sessions, "conversion");
export const pagesPerSession = headline(
  "pages_per_session",
  "Pages/session",
  sessions,
  "pages_per_session",
);

const inWholeHours = (key: string, title: string, text: string) =>
  about(key, title, events, `${text}; excludes events of skewed clocks`, {
    ...IN_WHOLE_HOURS,
    emptyUntil: "an hour is complete",
  });

export const dailyActivity = overTime(
  about(
    "daily_activity",
    "Daily activity",
    events,
    "Sessions and visitors per complete day; excludes events of skewed clocks",
    ON_WHOLE_DAYS,
  ),
  { as: "bar", grain: "P1D", metrics: ["sessions", "visitors"] },
);

export const revenueDaily = overTime(
  about(
    "revenue_daily",
    "Revenue",
    sessions,
    "Value of the purchases per complete day of the session and channel; excludes sessions with a skewed clock",
    ON_WHOLE_DAYS,
  ),
  { as: "bar", grain: "P1D", metrics: ["revenue"], series: "channel" },
);

export const eventTypes = bars(
  about(
    "event_types",
    "Events by type",
    events,
    "Events of every type; excludes events of skewed clocks",
    {
      only: [RIGHT_CLOCK],
    },
  ),
  {
    category: "event_type",
    metric: "events",
    limit: 20,
    horizontal: true,
    showValues: true,
  },
);

export const hourlyActivity = overTime(
  inWholeHours("hourly_activity", "Hour by hour", "Page events per complete hour"),
  { as: "line", grain: "PT1H", metrics: ["page_events"] },
);

export const wave = bars(
  inWholeHours(
    "wave",
    "Daily wave",
    "Mean page events per hour of the day, from complete hours only",
  ),
  {
    category: "hour_of_day",
    metric: "page_events_per_day",
    limit: 24,
    order: "category",
    axisTitle: "Hour of the day",
  },
);

export const weekGrid = grid(
  inWholeHours(
    "week_grid",
    "When they come",
    "Mean page events by weekday and hour, from complete hours only",
  ),
  { x: "hour_of_day", y: "weekday", metric: "page_events_per_day", yDescending: true },
);

export const purchaseFunnel = bars(
  about("funnel", "Purchase funnel", sessions, "Sessions that reached each stage or a later one"),
  {
    category: "stage",
    metric: "sessions",
    limit: 10,
    horizontal: true,
    showValues: true,
  },
);

export const campaigns = rows(
  about(
    "campaigns",
    "Campaigns",
    sessions,
    "Sessions with a campaign, the share with a purchase, their revenue, and that without refunds",
    {
      only: [{ column: "utm_campaign", operator: "!=", value: "" }],
      emptyUntil: "a session comes from a campaign",
    },
  ),
  {
    columns: ["utm_source", "utm_campaign"],
    metrics: ["sessions", "conversion", "revenue", "net_revenue"],
  },
);

const perSession = (key: string, title: string, text: string, category: string): Chart =>
  bars(about(key, title, sessions, text), {
    category,
    metric: "sessions",
    limit: 12,
    horizontal: true,
    showValues: true,
  });

export const channels = perSession(
  "channels",
  "Channels",
  "Sessions by channel: the medium of the campaign, without medium and source the class of the referrer",
  "channel",
);

export const devices = perSession(
  "devices",
  "Devices",
  "Sessions by kind of device",
  "device_type",
);

export const browsers = bars(
  about("browsers", "Browsers", sessions, "Sessions by browser and kind of device"),
  {
    category: "browser_name",
    metric: "sessions",
    limit: 40,
    horizontal: true,
    series: "device_type",
  },
);

export const systems = perSession(
  "systems",
  "Operating systems",
  "Sessions by operating system",
  "os_name",
);

export const countries = worldMap(
  about("countries", "Countries", sessions, "Sessions by country"),
  "geo_country",
  "sessions",
);

export const topCountries = rows(
  about("top_countries", "Top countries", sessions, "Sessions with a known country", {
    only: [{ column: "geo_country", operator: "!=", value: UNKNOWN }],
    emptyUntil: "a session has a known country",
  }),
  { columns: ["geo_country"], metrics: ["sessions", "visitors", "conversion"] },
);

const UNTIL_REGISTERED = { emptyUntil: "a visitor with an account has a session" } as const;

export const registeredDaily = overTime(
  about(
    "registered_daily",
    "Sessions of registered visitors",
    registeredSessions,
    "Sessions with an account per complete day, by kind of device; excludes sessions with a skewed clock",
    { ...ON_WHOLE_DAYS, ...UNTIL_REGISTERED },
  ),
  { as: "area", grain: "P1D", metrics: ["sessions"], series: "device_type" },
);

export const registeredPages = rows(
  about(
    "registered_pages",
    "How registered visitors move",
    registeredSessions,
    "First and last page of their sessions",
    {
      ...UNTIL_REGISTERED,
    },
  ),
  {
    columns: ["entry_page", "exit_page"],
    metrics: ["sessions", "conversion", "pages_per_session", "median_minutes"],
  },
);

const UNTIL_NEXT_DAY = { emptyUntil: "a second day is complete" } as const;

export const retentionCurve = bars(
  about(
    "retention_curve",
    "Retention",
    retention,
    "Share of visitors who came back, by days since their first session; complete days only",
    {
      only: [{ column: "day_number", operator: "!=", value: "0" }],
      ...UNTIL_NEXT_DAY,
    },
  ),
  {
    category: "day_number",
    metric: "returned",
    limit: 30,
    order: "category",
    axisTitle: "Days since the first session",
  },
);

export const retentionGrid = grid(
  about(
    "retention_grid",
    "Cohorts",
    retention,
    "Share of visitors who came back, by day of the first session; all referrers, devices and countries",
    {
      only: [{ column: "day_number", operator: "!=", value: "0" }],
      ...UNTIL_NEXT_DAY,
    },
  ),
  { x: "day_number", y: "cohort", metric: "returned", yDescending: true },
);

/** Superset says nothing of the zone itself, and not how far the marts are behind. */
export const howCurrent = rows(
  about(
    "how_current",
    "How current the charts are",
    period,
    "Zone of all days and hours, until when they are complete, the time since the last load, and how far event times were behind it",
  ),
  {
    columns: ["timezone", "hours_until", "last_complete_day"],
    metrics: ["minutes_since_load", "event_lag_minutes"],
    limit: 1,
    withBars: null,
  },
);

export const markers = bars(
  about(
    "markers",
    "Marked records",
    quality,
    "Records with a defect, by marker and layer; a record may have several",
    {
      only: [{ column: "kind", operator: "==", value: "defect" }],
      emptyUntil: "a record has a defect",
    },
  ),
  {
    category: "metric",
    metric: "amount",
    limit: 60,
    horizontal: true,
    series: "layer",
  },
);

export const layerRows = rows(
  about("layer_rows", "Rows of the layers", quality, "Typed rows, counted by the batch process", {
    only: [{ column: "kind", operator: "==", value: "rows" }],
  }),
  { columns: ["layer", "entity"], metrics: ["amount"] },
);

export const orphans = number(
  about("orphans", "Events without a session", quality, "Any value except 0 is an error"),
  "orphans",
);
