import { beforeEach, expect, test } from "vitest";
import type { Params } from "../../contract/ports.ts";
import { HOUR, parseMicros } from "../../contract/time.ts";
import { html } from "../../report/html.ts";
import { funnelFigure } from "../../report/sections/visitors.ts";
import * as charts from "../../superset/charts/overview.ts";
import { datasets, sessions } from "../../superset/datasets.ts";
import type { Chart } from "../../superset/model.ts";
import { QUESTIONS } from "../../warehouse/engine/page/questions.ts";
import { type FunnelStage, readAnalytics } from "../../warehouse/history/analytics.ts";
import { renderAnalytics } from "../../warehouse/history/render.ts";
import { meanRetention } from "../../warehouse/history/retention.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { readQuery } from "../../warehouse/sql.ts";
import { sqlOf } from "../support/chart-sql.ts";
import { dateFilter } from "../support/date-filter.ts";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  generateMessages,
  geoMessage,
  locationMessage,
  type Message,
  uuid,
} from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

/** Values of a metric by the place that shows it; a list has one entry per day, stage or cell. */
type Shown = Readonly<Record<string, unknown>>;

const INTERVAL = {
  from: parseMicros("2026-01-01T00:00:00Z"),
  to: parseMicros("2026-01-04T00:00:00Z"),
};

const rows = <T extends object>(sql: string, params: Params = {}) => engine.db.rows<T>(sql, params);

async function one(sql: string): Promise<unknown> {
  const [row = {}] = await rows(sql);
  return Object.values(row)[0];
}

const sum = (column: string, from: string) => one(`SELECT sum(t.${column}) FROM ${from} AS t`);
const chart = async (of: Chart) => Object.values((await rows(sqlOf(of)))[0] ?? {})[0];
const report = (dimension: string, column: string) =>
  sum(
    column,
    `(SELECT * FROM (${readQuery("report/shares.sql")}) WHERE dimension = '${dimension}')`,
  );

/** The chart with the hours and days that it leaves out as incomplete, which the views have. */
const withPartialTimes = (of: Chart): Chart => ({
  ...of,
  only: of.only.filter(({ value }) => value !== "whole"),
});

/** A metric of a Superset dataset, without dimension. */
function metric(table: string, key: string) {
  const of = datasets.find((dataset) => dataset.table === table);
  const expression = of?.metrics.find((each) => each.key === key)?.expression;
  return one(`SELECT ${expression} FROM dm.${table}`);
}

/** Rows of a question of /play, all of them. */
function answer<T extends object>(title: string): Promise<T[]> {
  const question = QUESTIONS.find((each) => each.title === title);
  if (question === undefined) throw new Error(`/play has no question "${title}"`);
  return rows<T>(question.sql.replace(/\nLIMIT \d+$/, ""));
}

type Counts = Readonly<Record<string, number>>;

async function totalOf(title: string, count: (row: Counts) => number): Promise<number> {
  return (await answer<Counts>(title)).reduce((total, row) => total + count(row), 0);
}

const of = (column: string) => (row: Counts) => Number(row[column]);

const QUESTION = {
  days: "How busy was each day?",
  hours: "At what time of day do people come?",
  funnel: "How far do sessions get?",
  channels: "Which channels bring buyers?",
  devices: "Which devices do visitors use?",
  countries: "From which countries do visitors come?",
  exits: "On which page do sessions without a purchase end?",
  retention: "Do visitors come back?",
} as const;

/** Counts that history-check takes from the typed messages. */
async function historyCheck(): Promise<Counts> {
  const epoch = await currentEpoch(engine.db);
  const [found = {}] = await rows<Counts>(readQuery("history/typed_counts.sql"), { epoch });
  return found;
}

/** Amounts of money wherever they are shown. */
async function money(): Promise<Record<string, Shown>> {
  const { totals: total, days } = await readAnalytics(engine.db, undefined, INTERVAL);
  const shown = async (column: "revenue" | "refunds" | "net_revenue"): Promise<Shown> => ({
    report: total[column],
    days: days.reduce((all, day) => all + day[column], 0),
    sessions: await metric("session", column),
    visitors: await sum(column, "dm.visitor"),
    sources: await metric("v_sources", `sum_${column}`),
    channels: await metric("v_channels", `sum_${column}`),
    channelsDaily: await sum(column, "dm.v_channels_daily"),
    activity: await metric("v_daily_activity", `sum_${column}`),
  });
  const events = (key: string) => metric("v_events_enriched", key);
  return {
    revenue: { ...(await shown("revenue")), events: await events("revenue") },
    refunds: { ...(await shown("refunds")), events: await events("refunds") },
    net_revenue: await shown("net_revenue"),
  };
}

const SHARES = ["channels", "devices", "browsers", "countries"] as const;

async function inReport(column: string): Promise<Shown> {
  const shown = SHARES.map(async (name) => [`report ${name}`, await report(name, column)]);
  return Object.fromEntries(await Promise.all(shown));
}

async function totals(): Promise<Record<string, Shown>> {
  const { totals: t } = await readAnalytics(engine.db, undefined, INTERVAL);
  const typed = await historyCheck();
  const view = (column: string) => one(`SELECT ${column} FROM dm.v_totals`);
  return {
    page_events: {
      analytics: t.page_events,
      view: await view("page_events"),
      chart: await chart(charts.pageEventCount),
      sources: await sum("page_events", "dm.v_sources"),
      channels: await sum("page_events", "dm.v_channels"),
      pageViews: await one("SELECT count() FROM dm.page_view"),
      sessions: await sum("page_events", "dm.session"),
      check: typed.events,
    },
    sessions: {
      analytics: t.sessions,
      view: await view("sessions"),
      chart: await chart(charts.sessionCount),
      events: await metric("v_events_enriched", "sessions"),
      sources: await metric("v_sources", "sum_sessions"),
      channels: await metric("v_channels", "sum_sessions"),
      entries: await one("SELECT countIf(is_entry) FROM dm.page_view"),
      audience: await metric("v_audience", "sum_sessions"),
      check: typed.sessions,
      ...(await inReport("sessions")),
      channelsQuestion: await totalOf(QUESTION.channels, of("sessions")),
      devicesQuestion: await totalOf(QUESTION.devices, of("sessions")),
      countriesQuestion: await totalOf(QUESTION.countries, of("sessions")),
      exitsQuestion: t.purchase_sessions + (await totalOf(QUESTION.exits, of("sessions"))),
    },
    visitors: {
      analytics: t.visitors,
      view: await view("visitors"),
      chart: await chart(charts.visitorCount),
      events: await metric("v_events_enriched", "visitors"),
      check: typed.users,
    },
    purchases: {
      analytics: t.purchases,
      view: await view("purchases"),
      chart: await chart(charts.purchaseCount),
      events: await metric("v_events_enriched", "purchases"),
      sources: await metric("v_sources", "sum_purchases"),
      channels: await metric("v_channels", "sum_purchases"),
      question: await totalOf(QUESTION.channels, of("purchases")),
    },
    purchase_sessions: {
      analytics: t.purchase_sessions,
      view: await view("purchase_sessions"),
      sessions: await metric("session", "purchase_sessions"),
      conversion: Math.round(Number(await chart(charts.conversion)) * t.sessions),
      sources: await metric("v_sources", "sum_purchase_sessions"),
      channels: await metric("v_channels", "sum_purchase_sessions"),
      audience: await metric("v_audience", "sum_purchase_sessions"),
      ...(await inReport("purchase_sessions")),
      question: await totalOf(QUESTION.channels, ({ sessions = 0, percent_with_purchase = 0 }) =>
        Math.round((sessions * percent_with_purchase) / 100),
      ),
    },
    registered_sessions: {
      analytics: t.registered_sessions,
      view: await view("registered_sessions"),
      sessions: await metric("v_session_overview", "sessions"),
      audience: await metric("v_audience", "sum_registered_sessions"),
      question: await totalOf(QUESTION.countries, of("with_account")),
    },
    bounces: {
      sessions: await one("SELECT countIf(is_bounce) FROM dm.session"),
      channels: await metric("v_channels", "sum_bounces"),
      events: await one(
        "SELECT count() FROM (SELECT click_id FROM dm.v_events_enriched GROUP BY click_id HAVING count() = 1)",
      ),
    },
  };
}

/** Metrics of the sessions of visitors with an account. */
async function registered(): Promise<Record<string, Shown>> {
  const overview = (key: string) => metric("v_session_overview", key);
  const sessions = (expression: string) =>
    one(`SELECT ${expression} FROM dm.session WHERE isNotNull(user_domain_id)`);
  const events = (expression: string) =>
    one(`SELECT ${expression} FROM dm.v_events_enriched WHERE isNotNull(user_domain_id)`);
  return {
    "visitors with an account": {
      overview: await overview("visitors"),
      sessions: await sessions("uniqExact(user_custom_id)"),
      events: await events("uniqExact(user_custom_id)"),
    },
    "purchases with an account": {
      overview: await overview("purchases"),
      sessions: await sessions("sum(purchases)"),
      events: await events("countIf(event_type = 'purchase')"),
    },
    "sessions with a purchase and an account": {
      overview: await overview("purchase_sessions"),
      conversion: Math.round(
        Number(await overview("conversion")) * Number(await overview("sessions")),
      ),
      sessions: await sessions("countIf(has_purchase)"),
      events: await events("uniqExactIf(click_id, event_type = 'purchase')"),
    },
  };
}

async function overTime(): Promise<Record<string, Shown>> {
  const { days } = await readAnalytics(engine.db, undefined, INTERVAL);
  const view = "SELECT event_date AS day, page_events AS n FROM dm.v_daily_activity ORDER BY day";
  const perDay = (from: string) =>
    rows(`SELECT day, sum(t.n) AS n FROM (${from}) AS t GROUP BY day ORDER BY day`);
  const byChart = sqlOf(withPartialTimes(charts.dailyActivity));
  const quarters = readQuery("history/quarter_hours.sql");
  return {
    "page events per day": {
      analytics: days.map(({ day, page_events }) => ({ day, n: page_events })),
      view: await rows(view),
      hours: await perDay("SELECT event_date AS day, page_events AS n FROM dm.v_hourly_activity"),
      chart: await perDay(
        `SELECT toDate(event_hour, 'UTC') AS day, page_events AS n FROM (${sqlOf(withPartialTimes(charts.hourlyActivity))})`,
      ),
      quarters: await rows(
        `SELECT toDate(started_at, 'UTC') AS day, sum(q.page_events) AS n FROM (${quarters}) AS q GROUP BY day ORDER BY day`,
        { from: INTERVAL.from - 48 * HOUR, to: INTERVAL.to + 48 * HOUR },
      ),
      question: (await answer<{ event_date: string; page_events: number }>(QUESTION.days)).map(
        ({ event_date, page_events }) => ({ day: event_date, n: page_events }),
      ),
    },
    "page events per hour of the day": {
      chart: await rows(
        `SELECT hour_of_day AS hour, round(page_events_per_day) AS n FROM (${sqlOf(charts.wave)}) ORDER BY hour`,
      ),
      question: (await answer<Counts>(QUESTION.hours)).map(({ hour, mean_page_events }) => ({
        hour,
        n: mean_page_events,
      })),
    },
    "sessions and visitors per day": {
      analytics: days.map(({ day, sessions, visitors }) => ({ day, sessions, visitors })),
      view: await rows(
        "SELECT event_date AS day, sessions, visitors FROM dm.v_daily_activity ORDER BY day",
      ),
      chart: await rows(
        `SELECT event_hour AS day, sessions, visitors FROM (${byChart}) ORDER BY day`,
      ),
      question: (await answer<Counts>(QUESTION.days)).map(
        ({ event_date: day, sessions, visitors }) => ({ day, sessions, visitors }),
      ),
    },
  };
}

async function funnelAndRetention(): Promise<Record<string, Shown>> {
  const analytics = await readAnalytics(engine.db, undefined, INTERVAL);
  const cells = analytics.retention.flatMap(({ cohort, visitors }) =>
    visitors.flatMap((n, day) =>
      n === null || day === 0 ? [] : [{ cohort, day, share: n / (visitors[0] ?? 0) }],
    ),
  );
  const reached = await answer<{ stage: string; sessions: number; percent: number }>(
    QUESTION.funnel,
  );
  const inFigure = (funnelFigure(analytics) || html``).text;
  return {
    "sessions that saw a stage": {
      check: (await rows<FunnelStage>(readQuery("history/stages.sql")))
        .filter(({ sessions }) => sessions > 0)
        .map(({ stage, sessions }) => ({ stage, sessions })),
      sessions: await rows(
        "SELECT arrayJoin(stages_seen) AS stage, count() AS sessions FROM dm.session GROUP BY stage ORDER BY indexOf(any(stages_reached), stage), stage",
      ),
    },
    "shares of the stages": {
      report: reached.map(({ stage }) => inFigure.match(`${stage} [\\d ]+ · ([\\d.]+) %`)?.[1]),
      question: reached.map(({ percent }) => percent.toFixed(1)),
    },
    "percent of the visitors who came back": {
      analytics: meanRetention(analytics.retention)
        .slice(1)
        .map((share, at) => ({ day_number: at + 1, percent: ((share ?? 0) * 100).toFixed(1) })),
      question: (await answer<Counts>(QUESTION.retention)).map(({ day_number, percent = 0 }) => ({
        day_number,
        percent: percent.toFixed(1),
      })),
    },
    "sessions that reached a stage": {
      analytics: analytics.funnel.map(({ stage, sessions }) => ({ stage, sessions })),
      view: await rows(
        "SELECT stage, sum(f.sessions) AS sessions FROM dm.v_funnel AS f GROUP BY stage ORDER BY any(stage_number)",
      ),
      chart: await rows(
        `SELECT stage, sessions FROM (${sqlOf(charts.purchaseFunnel)}) ORDER BY sessions DESC, indexOf(['home', 'product', 'cart', 'payment', 'confirmation'], stage)`,
      ),
      question: reached.map(({ stage, sessions }) => ({ stage, sessions })),
    },
    "visitors who came back": {
      analytics: cells,
      view: await rows(
        "SELECT toString(r.cohort) AS cohort, day_number AS day, visitors / cohort_visitors AS share FROM dm.v_retention AS r WHERE day > 0 ORDER BY r.cohort, day",
      ),
      chart: await rows(
        `SELECT toString(c.cohort) AS cohort, day_number AS day, returned AS share FROM (${sqlOf(charts.retentionGrid)}) AS c ORDER BY cohort, day`,
      ),
    },
  };
}

const BY_START = ["v_sources", "v_channels", "v_audience"] as const;
const DAILY =
  "SELECT session_date AS day, sum(v.sessions) AS sessions FROM dm.v_channels_daily AS v GROUP BY day ORDER BY day";
const STARTED = "SELECT session_date AS day, count() AS sessions FROM dm.session";
const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"] as const;

async function byStart(): Promise<Record<string, Shown>> {
  const perDay = (where: string) =>
    BY_START.map(async (view) => [
      view,
      await rows(
        `SELECT session_date AS day, sum(v.sessions) AS sessions FROM dm.${view} AS v ${where} GROUP BY day ORDER BY day`,
      ),
    ]);
  const bars = (where: string) => rows(`${STARTED} ${where} GROUP BY day ORDER BY day`);
  const right = "WHERE clock = 'right'";
  const headlines = DAYS.map(async (day, i): Promise<Shown> => {
    const range = { start: `${day}T00:00:00`, end: `2026-01-0${i + 2}T00:00:00` };
    const [found = {}] = await rows(sqlOf(charts.sessionCount, dateFilter(sessions, range)));
    return { day, ...found };
  });
  const stages = (from: string) =>
    rows(`SELECT day, stage, sum(sessions) AS sessions FROM (${from}) GROUP BY ALL ORDER BY ALL`);
  return {
    "sessions by the day they began": {
      sessions: await bars(right),
      daily: await rows(DAILY),
      ...Object.fromEntries(await Promise.all(perDay(right))),
    },
    "sessions with a filter by day": {
      headline: (await Promise.all(headlines)).filter(({ sessions }) => Number(sessions) > 0),
      sessions: await bars("WHERE session_date <= '2026-01-03'"),
      ...Object.fromEntries(await Promise.all(perDay("WHERE session_date <= '2026-01-03'"))),
    },
    "stages seen by the day the session began": {
      sessions: await stages(
        `SELECT session_date AS day, arrayJoin(stages_seen) AS stage, 1 AS sessions FROM dm.session ${right}`,
      ),
      view: await stages(
        `SELECT session_date AS day, stage, f.seen_sessions AS sessions FROM dm.v_funnel AS f ${right} AND f.seen_sessions > 0`,
      ),
      unordered: await stages(
        "SELECT session_date AS day, stage, f.sessions AS sessions FROM dm.v_funnel_unordered AS f WHERE f.sessions > 0",
      ),
    },
    "stages by the day the session began": {
      sessions: await stages(
        `SELECT session_date AS day, arrayJoin(stages_reached) AS stage, 1 AS sessions FROM dm.session ${right}`,
      ),
      view: await stages(
        `SELECT session_date AS day, stage, f.sessions AS sessions FROM dm.v_funnel AS f ${right}`,
      ),
    },
  };
}

const everywhere = async (): Promise<Record<string, Shown>> => ({
  ...(await totals()),
  ...(await registered()),
  ...(await overTime()),
  ...(await funnelAndRetention()),
  ...(await byStart()),
});

/** @returns the figures, each of which is the same on all surfaces */
async function expectOneAnswer(
  shownBy: () => Promise<Record<string, Shown>> = everywhere,
): Promise<Record<string, unknown>> {
  const all = await shownBy();
  const first = Object.fromEntries(
    Object.entries(all).map(([name, shown]) => [name, Object.values(shown)[0]]),
  );
  const alike = Object.entries(all).map(([name, shown]) => [
    name,
    Object.fromEntries(Object.keys(shown).map((surface) => [surface, first[name]])),
  ]);
  expect(all).toEqual(Object.fromEntries(alike));
  return first;
}

interface Visit {
  readonly visitor: string;
  readonly day: number;
  /** Pages, each with the hours by which the clock is ahead. */
  readonly pages: readonly (readonly [path: string, ahead?: number])[];
  readonly registered?: true;
}

let events = 0;
function messagesOf({ visitor, day, pages, registered }: Visit, index: number): Message[] {
  const click_id = uuid(1000 + index);
  const facts = { user_custom_id: visitor, user_domain_id: registered ? uuid(7) : null };
  return [
    deviceMessage({ click_id, ...facts }),
    geoMessage({ click_id }),
    ...pages.flatMap(([path, ahead = 0], number) => {
      events += 1;
      const sent = Date.UTC(2026, 0, day, 20, number);
      const event_timestamp = new Date(sent + ahead * 3_600_000)
        .toISOString()
        .replace("T", " ")
        .slice(0, 23);
      const event_type = path === "/confirmation" ? "purchase" : "pageview";
      return [
        browserMessage(
          { event_id: uuid(events), click_id, event_timestamp, event_type },
          sent * 1000,
        ),
        locationMessage({ event_id: uuid(events), page_url_path: path }),
      ];
    }),
  ];
}

test("every surface shows the same figures: skewed clocks, unknown visitors, several purchases", async () => {
  const sessions: Visit[] = [
    {
      visitor: "a",
      day: 1,
      pages: [["/home"], ["/confirmation"], ["/confirmation"]],
      registered: true,
    },
    { visitor: "a", day: 2, pages: [["/cart"], ["/home", 6]] },
    { visitor: "", day: 1, pages: [["/home"], ["/confirmation"]] },
    { visitor: "", day: 2, pages: [["/product_b"]] },
    {
      visitor: "b",
      day: 1,
      pages: [
        ["/home", 6],
        ["/confirmation", 6],
      ],
      registered: true,
    },
    { visitor: "c", day: 2, pages: [["/about"]] },
    { visitor: "d", day: 3, pages: [["/home"]] },
  ];
  await publish(engine.db, sessions.flatMap(messagesOf));
  await load(engine.db, "full");
  expect(await expectOneAnswer()).toEqual({
    page_events: 12,
    sessions: 7,
    visitors: 4,
    purchases: 4,
    purchase_sessions: 3,
    registered_sessions: 2,
    bounces: 3,
    "visitors with an account": 2,
    "purchases with an account": 3,
    "sessions with a purchase and an account": 2,
    "page events per day": [
      { day: "2026-01-01", n: 5 },
      { day: "2026-01-02", n: 3 },
      { day: "2026-01-03", n: 1 },
    ],
    // The hour of the third day has no event in its last minute, so it is not whole.
    "page events per hour of the day": [{ hour: 20, n: 4 }],
    "sessions and visitors per day": [
      { day: "2026-01-01", sessions: 2, visitors: 1 },
      { day: "2026-01-02", sessions: 3, visitors: 2 },
      { day: "2026-01-03", sessions: 1, visitors: 1 },
    ],
    "sessions by the day they began": [
      { day: "2026-01-01", sessions: 2 },
      { day: "2026-01-02", sessions: 3 },
      { day: "2026-01-03", sessions: 1 },
    ],
    // A clock that is a day ahead moves one session of the first day to the second.
    "sessions with a filter by day": [
      { day: "2026-01-01", sessions: 2 },
      { day: "2026-01-02", sessions: 4 },
      { day: "2026-01-03", sessions: 1 },
    ],
    "stages seen by the day the session began": [
      { day: "2026-01-01", stage: "confirmation", sessions: 2 },
      { day: "2026-01-01", stage: "home", sessions: 2 },
      { day: "2026-01-02", stage: "cart", sessions: 1 },
      { day: "2026-01-02", stage: "home", sessions: 1 },
      { day: "2026-01-02", stage: "product", sessions: 1 },
      { day: "2026-01-03", stage: "home", sessions: 1 },
    ],
    "stages by the day the session began": [
      ...["cart", "confirmation", "home", "payment", "product"].map((stage) => ({
        day: "2026-01-01",
        stage,
        sessions: 2,
      })),
      { day: "2026-01-02", stage: "cart", sessions: 1 },
      { day: "2026-01-02", stage: "home", sessions: 2 },
      { day: "2026-01-02", stage: "product", sessions: 2 },
      { day: "2026-01-03", stage: "home", sessions: 1 },
    ],
    "sessions that reached a stage": [
      { stage: "home", sessions: 6 },
      { stage: "product", sessions: 5 },
      { stage: "cart", sessions: 4 },
      { stage: "payment", sessions: 3 },
      { stage: "confirmation", sessions: 3 },
    ],
    "sessions that saw a stage": [
      { stage: "home", sessions: 5 },
      { stage: "product", sessions: 1 },
      { stage: "cart", sessions: 1 },
      { stage: "confirmation", sessions: 3 },
    ],
    "shares of the stages": ["85.7", "71.4", "57.1", "42.9", "42.9"],
    "percent of the visitors who came back": [{ day_number: 1, percent: "100.0" }],
    "visitors who came back": [{ cohort: "2026-01-01", day: 1, share: 1 }],
  });
  const analytics = await readAnalytics(engine.db, undefined, INTERVAL);
  expect((funnelFigure(analytics) || html``).text).toContain("home 6 · 85.7 %");
});

test("the funnel divides by all sessions, and has a row for a stage that nobody reached", async () => {
  const pages = [["/about"], ["/home"], ["/home"], ["/product_a"]] as const;
  const sessions = pages.map(
    ([path], at) => ({ visitor: `f${at}`, day: 1, pages: [[path]] }) as const,
  );
  await publish(engine.db, sessions.flatMap(messagesOf));
  await load(engine.db, "full");
  const analytics = await readAnalytics(engine.db, undefined, INTERVAL);
  expect(analytics.funnel.map(({ stage, sessions }) => [stage, sessions])).toEqual([
    ["home", 3],
    ["product", 1],
    ["cart", 0],
    ["payment", 0],
    ["confirmation", 0],
  ]);
  const text = renderAnalytics(analytics, undefined).replaceAll(/[│ ]+/g, " ");
  for (const line of ["home 3 75.0 %", "product 1 25.0 % 33.3 %", "cart 0 0.0 % 0.0 %"]) {
    expect(text).toContain(line);
  }
  expect((funnelFigure(analytics) || html``).text).toContain("confirmation 0 · 0.0 %");
});

test("every surface shows the same figures of generated data with defects", async () => {
  const { messages } = await generateMessages("metrics", 50);
  await publish(engine.db, messages);
  await load(engine.db, "full");
  const found = await expectOneAnswer();
  expect(found.purchases).toBeGreaterThan(0);
});

test("every surface shows the same money: revenue, refunds, and what is left", async () => {
  const facts = [
    { event_type: "purchase", order_value: 59.8, day: 1 },
    { event_type: "refund", order_value: 20, day: 2 },
    { event_type: "add_to_cart", order_value: 7, day: 2 },
  ];
  const sent = facts.flatMap(({ day, ...one }, index) => {
    const ids = { event_id: uuid(index + 1), click_id: uuid(1000 + index) };
    const event_timestamp = `2026-01-0${day} 10:00:00`;
    return [
      browserMessage({ ...ids, ...one, event_timestamp, currency: "EUR" }),
      locationMessage({ event_id: ids.event_id }),
      deviceMessage({ click_id: ids.click_id, user_custom_id: "a" }),
    ];
  });
  await publish(engine.db, sent);
  await load(engine.db, "full");
  expect(await expectOneAnswer(money)).toEqual({ revenue: 59.8, refunds: 20, net_revenue: 39.8 });
  const { totals } = await readAnalytics(engine.db, undefined, INTERVAL);
  expect(totals.currencies).toEqual(["EUR"]);
});
