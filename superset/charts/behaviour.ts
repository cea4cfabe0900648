import {
  attribution,
  funnelInAnyOrder,
  funnelInOrder,
  pageViews,
  sessions,
  truth,
} from "../datasets.ts";
import type { Chart, Dataset } from "../model.ts";
import { about, bars, number, ON_WHOLE_DAYS, overTime, rows } from "./kinds.ts";

const tile = (key: string, title: string, metric: string, text: string): Chart =>
  number(about(key, title, sessions, text), metric);

export const purchaseRate = tile(
  "purchase_rate",
  "Purchase rate",
  "conversion",
  "Share of the sessions with a purchase",
);
export const bounceRate = tile(
  "bounce_rate",
  "Bounce rate",
  "bounce_rate",
  "Share of the sessions with a single page event",
);
export const engagedMinutes = tile(
  "engaged_minutes",
  "Engaged minutes",
  "engaged_minutes",
  "Mean engaged time of a session; of a longer gap, only the session pause counts",
);
export const sessionsPerVisitor = tile(
  "sessions_per_visitor",
  "Sessions per visitor",
  "sessions_per_visitor",
  "How often a known visitor came in the selected days",
);

const rateBy = (key: string, title: string, text: string, category: string): Chart =>
  bars(about(key, title, sessions, text), {
    category,
    metric: "conversion",
    hasLongLabels: category === "channel",
    limit: 12,
    showValues: true,
  });

export const rateByChannel = rateBy(
  "purchase_rate_by_channel",
  "Purchase rate by channel",
  "Share of the sessions with a purchase; a click filters the other charts",
  "channel",
);
export const rateByDevice = rateBy(
  "purchase_rate_by_device",
  "Purchase rate by device",
  "Share of the sessions with a purchase; a click filters the other charts",
  "device_type",
);

export const rateByBrowser = overTime(
  about(
    "purchase_rate_by_browser",
    "Purchase rate by browser",
    sessions,
    "Per complete day; a browser that falls while the others stay has a problem. Excludes skewed clocks",
    ON_WHOLE_DAYS,
  ),
  { as: "line", grain: "P1D", metrics: ["conversion"], series: "browser_name" },
);

export const landingPages = rows(
  about("landing_pages", "Landing pages", sessions, "First pages of sessions"),
  {
    columns: ["entry_page"],
    metrics: ["sessions", "bounce_rate", "conversion"],
  },
);

export const campaignResults = rows(
  about(
    "campaign_results",
    "Campaigns compared",
    sessions,
    "Sessions from a campaign, and what they did",
    {
      only: [{ column: "utm_campaign", operator: "!=", value: "" }],
      emptyUntil: "a session comes from a campaign",
    },
  ),
  {
    columns: ["utm_campaign"],
    metrics: ["sessions", "bounce_rate", "pages_per_session", "conversion"],
  },
);

export const experiment = rows(
  about(
    "experiment",
    "Variants of the experiment",
    sessions,
    "First sessions of visitors, because those of one visitor resemble each other",
    {
      only: [
        { column: "experiment_variant", operator: "!=", value: "" },
        { column: "session_number", operator: "==", value: "1" },
      ],
      emptyUntil: "an experiment runs",
    },
  ),
  {
    columns: ["experiment_variant"],
    metrics: ["sessions", "bounce_rate", "conversion"],
  },
);

export const rateBySessionNumber = bars(
  about(
    "purchase_rate_by_session_number",
    "Purchase rate by session number",
    sessions,
    "First, second and later sessions of known visitors; 10 is the tenth and every later one",
    {
      // Sessions without a number have NULL, which the condition leaves out.
      only: [{ column: "session_number", operator: "!=", value: "0" }],
    },
  ),
  {
    category: "session_number_to_10",
    metric: "conversion",
    limit: 10,
    order: "category",
    showValues: true,
    axisTitle: "Number of the visitor's session",
  },
);

export const pages = rows(
  about("pages", "Pages", pageViews, "How long visitors stay, and where they leave"),
  {
    columns: ["page_url_path"],
    metrics: ["page_views", "median_seconds", "exit_rate"],
  },
);

const funnel = (key: string, title: string, dataset: Dataset, text: string): Chart =>
  rows(about(key, title, dataset, text), {
    columns: ["stage"],
    metrics: ["stage_number", "sum_sessions", "share_of_first", "share_of_previous"],
    isAscending: true,
    withBars: "sum_sessions",
    limit: 20,
  });

export const orderedFunnel = funnel(
  "funnel_in_order",
  "Funnel in order",
  funnelInOrder,
  "Sessions that saw a page of each stage after one of the stage before",
);
export const unorderedFunnel = funnel(
  "funnel_in_any_order",
  "Funnel in any order",
  funnelInAnyOrder,
  "Sessions that saw a page of the stage at all",
);

export const attributionModels = rows(
  about(
    "attribution",
    "Attribution",
    attribution,
    "Purchases by channel, of all days: three answers to the question who brought them",
  ),
  {
    columns: ["channel"],
    metrics: ["sum_last_touch_purchases", "sum_first_touch_purchases", "sum_linear_purchases"],
    limit: 20,
  },
);

const UNTIL_PUBLISHED = { emptyUntil: "the generator publishes what is true (GEN_BEHAVIOUR=shop)" };

export const intervalsWithTruth = number(
  about(
    "intervals_with_truth",
    "Intervals with the ground truth",
    truth,
    "How many 95 % intervals contain the ground truth; no value without one",
  ),
  "inside_share",
);

export const truthBesideEstimates = rows(
  about(
    "truth_beside_estimates",
    "Truth beside estimates",
    truth,
    "Expected values that the generator published, and their estimates from these marts; empty for own data",
    UNTIL_PUBLISHED,
  ),
  {
    columns: ["effect", "segment", "verdict"],
    metrics: [
      "place",
      "true_value",
      "estimated_value",
      "interval_low",
      "interval_high",
      "counted_sessions",
    ],
    isAscending: true,
    withBars: null,
    limit: 1000,
  },
);
