import { events, quality, registeredSessions, retention, sessions } from "../datasets.ts";
import type { Chart, Dataset } from "../model.ts";
import { about, bars, grid, number, overTime, RIGHT_CLOCK, rows, worldMap } from "./kinds.ts";

const headline = (key: string, title: string, dataset: Dataset, metric: string): Chart =>
  number(
    about(
      key,
      title,
      dataset,
      `${title} for the selected days, sources, devices and countries; includes fast clocks, on the day they show`,
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
  "Pages per session",
  sessions,
  "pages_per_session",
);

/** Filter without fast clocks, which the headlines include. */
const AT_RIGHT_TIME = { only: [RIGHT_CLOCK] } as const;

const atItsTime = (key: string, title: string, text: string) => ({
  ...about(key, title, events, `${text}; excludes events of fast clocks`),
  ...AT_RIGHT_TIME,
});

export const dailyActivity = overTime(
  atItsTime("daily_activity", "Daily activity", "Sessions and visitors per UTC day"),
  { as: "bar", grain: "P1D", metrics: ["sessions", "visitors"] },
);

export const revenueDaily = overTime(
  {
    ...about(
      "revenue_daily",
      "Revenue",
      sessions,
      "Value of the purchases per UTC day of the session and channel; excludes sessions seen only by fast clocks",
    ),
    ...AT_RIGHT_TIME,
  },
  { as: "bar", grain: "P1D", metrics: ["revenue"], series: "channel" },
);

export const eventTypes = bars(atItsTime("event_types", "Events by type", "Events of every type"), {
  category: "event_type",
  metric: "events",
  limit: 20,
  order: "metric",
  horizontal: true,
  showValues: true,
});

export const hourlyActivity = overTime(
  atItsTime(
    "hourly_activity",
    "Hour by hour",
    "Page events per UTC hour; the last hour is incomplete",
  ),
  { as: "line", grain: "PT1H", metrics: ["page_events"] },
);

export const wave = bars(
  {
    ...atItsTime(
      "wave",
      "Daily wave",
      "Mean page events per UTC hour of the day, from complete hours only",
    ),
    only: [RIGHT_CLOCK, { column: "hour", operator: "==", value: "whole" }],
    emptyUntil: "an hour is complete",
  },
  { category: "hour_of_day", metric: "page_events_per_day", limit: 24, order: "category" },
);

export const weekGrid = grid(
  atItsTime("week_grid", "When they come", "Page events by UTC weekday and hour"),
  { x: "hour_of_day", y: "weekday", metric: "page_events", yDescending: true },
);

export const purchaseFunnel = bars(
  about("funnel", "Purchase funnel", sessions, "Sessions that reached each stage or a later one"),
  {
    category: "stage",
    metric: "sessions",
    limit: 10,
    order: "metric",
    horizontal: true,
    showValues: true,
  },
);

export const campaigns = rows(
  {
    ...about(
      "campaigns",
      "Campaigns",
      sessions,
      "Sessions with a campaign, and those with a purchase",
    ),
    only: [{ column: "utm_campaign", operator: "!=", value: "" }],
    emptyUntil: "a session comes from a campaign",
  },
  {
    columns: ["utm_source", "utm_campaign"],
    metrics: ["sessions", "purchase_sessions", "conversion", "revenue"],
    limit: 50,
  },
);

const perSession = (key: string, title: string, text: string, category: string): Chart =>
  bars(about(key, title, sessions, text), {
    category,
    metric: "sessions",
    limit: 12,
    order: "metric",
    horizontal: true,
    showValues: true,
  });

export const channels = perSession("channels", "Channels", "Sessions by channel", "channel");

export const devices = perSession(
  "devices",
  "Devices",
  "Sessions by kind of device",
  "device_name",
);

export const browsers = bars(
  about("browsers", "Browsers", sessions, "Sessions by browser and kind of device"),
  {
    category: "browser_name",
    metric: "sessions",
    limit: 40,
    order: "metric",
    horizontal: true,
    series: "device_name",
  },
);

export const systems = perSession(
  "systems",
  "Operating systems",
  "Sessions by operating system",
  "system_name",
);

export const countries = worldMap(
  about("countries", "Countries", sessions, "Sessions by country"),
  "geo_country",
  "sessions",
);

export const topCountries = rows(
  {
    ...about("top_countries", "Top countries", sessions, "Sessions with a known country"),
    only: [{ column: "geo_country", operator: "!=", value: "" }],
    emptyUntil: "a session has a known country",
  },
  { columns: ["geo_country"], metrics: ["sessions", "visitors", "conversion"], limit: 50 },
);

const UNTIL_REGISTERED = { emptyUntil: "a visitor with an account has a session" } as const;

export const registeredDaily = overTime(
  {
    ...about(
      "registered_daily",
      "Sessions of registered visitors",
      registeredSessions,
      "Sessions with an account, by kind of device; excludes sessions seen only by fast clocks",
    ),
    ...AT_RIGHT_TIME,
    ...UNTIL_REGISTERED,
  },
  { as: "area", grain: "P1D", metrics: ["sessions"], series: "device_type" },
);

export const registeredPages = rows(
  {
    ...about(
      "registered_pages",
      "How registered visitors move",
      registeredSessions,
      "First and last page of their sessions",
    ),
    ...UNTIL_REGISTERED,
  },
  {
    columns: ["entry_page", "exit_page"],
    metrics: ["sessions", "conversion", "pages_per_session", "median_minutes"],
    limit: 50,
  },
);

const UNTIL_NEXT_DAY = { emptyUntil: "a second day is complete" } as const;

export const retentionCurve = bars(
  {
    ...about(
      "retention_curve",
      "Retention",
      retention,
      "Share of visitors who came back, by days since their first session; complete days only",
    ),
    only: [{ column: "day_number", operator: "!=", value: "0" }],
    ...UNTIL_NEXT_DAY,
  },
  { category: "day_number", metric: "returned", limit: 30, order: "category" },
);

export const retentionGrid = grid(
  {
    ...about(
      "retention_grid",
      "Cohorts",
      retention,
      "Share of visitors who came back, by day of the first session; all sources, devices and countries",
    ),
    only: [{ column: "day_number", operator: "!=", value: "0" }],
    ...UNTIL_NEXT_DAY,
  },
  { x: "day_number", y: "cohort", metric: "returned", yDescending: true },
);

export const markers = bars(
  {
    ...about(
      "markers",
      "Marked records",
      quality,
      "Records with a defect, by marker and layer; a record may have several",
    ),
    only: [{ column: "kind", operator: "==", value: "defect" }],
    emptyUntil: "a record has a defect",
  },
  {
    category: "metric",
    metric: "amount",
    limit: 60,
    order: "metric",
    horizontal: true,
    series: "layer",
  },
);

export const layerRows = rows(
  {
    ...about(
      "layer_rows",
      "Rows of the layers",
      quality,
      "Typed rows, counted by the batch process",
    ),
    only: [{ column: "kind", operator: "==", value: "rows" }],
  },
  { columns: ["layer", "entity"], metrics: ["amount"], limit: 50 },
);

export const orphans = number(
  about("orphans", "Events without a session", quality, "Any value except 0 is an error"),
  "orphans",
);
