import { liveEvents, liveMinutes, liveNow } from "../datasets.ts";
import type { Chart, Dataset } from "../model.ts";
import { about, number, overTime, rows } from "./kinds.ts";

const figure = (key: string, title: string, dataset: Dataset, metric: string): Chart =>
  number(about(`live_${key}`, title, dataset, `${title}, straight from stg`), metric);

export const activeVisitors = figure("visitors", "Active visitors", liveNow, "active_visitors");
export const recentPageEvents = figure(
  "page_events",
  "Page events, 30 minutes",
  liveMinutes,
  "sum_page_events",
);
export const recentPurchases = figure(
  "purchases",
  "Purchases, 30 minutes",
  liveMinutes,
  "sum_purchases",
);
export const recentRejected = figure(
  "rejected",
  "Rejected messages, 30 minutes",
  liveMinutes,
  "sum_rejected_messages",
);

export const minuteByMinute = overTime(
  about(
    "live_minutes",
    "Minute by minute",
    liveMinutes,
    "Page events and purchases by the minute in which they came, UTC; the last minute is not over",
  ),
  { as: "bar", grain: "PT1M", metrics: ["sum_page_events", "sum_purchases"] },
);

const ofEvents = (key: string, title: string, text: string, columns: readonly string[]): Chart =>
  rows(
    about(`live_${key}`, title, liveEvents, text, {
      emptyUntil: "an event came in the last 30 minutes",
    }),
    { columns, metrics: ["page_events", "sessions", "visitors", "purchases"] },
  );

export const currentPages = ofEvents(
  "pages",
  "Pages now",
  "Events of the last 30 minutes by page",
  ["page_url_path"],
);

export const currentSources = ofEvents(
  "sources",
  "Sources now",
  "Events of the last 30 minutes by referrer and campaign source",
  ["referer_medium", "utm_source"],
);

/** What lags, and why. */
export const liveAges = rows(
  about(
    "live_ages",
    "How old the data are, seconds",
    liveNow,
    "Messages reach stg in seconds, and the marts with the next load. Event times of the generator lag by a constant after a history or a pause",
  ),
  {
    columns: [],
    metrics: ["message_age", "marts_behind", "event_lag"],
    limit: 1,
    withBars: null,
  },
);
