import { describe, expect, it } from "vitest";
import { axisColumn } from "../../superset/charts/kinds.ts";
import * as charts from "../../superset/charts/overview.ts";
import { columnsOf } from "../../superset/columns.ts";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import {
  events,
  funnel,
  liveEvents,
  liveMinutes,
  pageViews,
  retention,
} from "../../superset/datasets.ts";
import type { Dataset } from "../../superset/model.ts";
import { dateFilter, granulesOf } from "../support/date-filter.ts";
import { itLong } from "../support/long-cases.ts";
import { IS_EXHAUSTIVE } from "../support/sample.ts";
import { generatedSql, question, rowsOf } from "./ask.ts";
import type { TestSystem } from "./environment.ts";
import { expected, narrowed, rangeFilter, shown } from "./expected.ts";

/** Charts of a history; live ones have only the last minutes. */
const overTime = allCharts.filter(
  ({ dataset }) => dataset.time !== null && dataset !== liveEvents && dataset !== liveMinutes,
);

/** A row limit above the number of rows. */
const WHOLE = { start: "2026-03-01", end: "2026-04-01" };

/** True for a mart whose time is a date. */
const isByDay = ({ table, time }: Dataset): boolean =>
  columnsOf(table).some(({ name, type }) => name === time && type === "Date");

/** Table that a chart reads. */
const tableOf = (dataset: Dataset): string => {
  if (dataset === events) return "dm.event_enriched";
  return dataset === pageViews ? "dm.page_view" : "dm.session";
};

/** A range and a choice of values; `make test-all` tries only the last. */
const RANGES = [
  ["an hour", { start: "2026-03-08T10:00:00", end: "2026-03-08T11:00:00" }, []],
  ["a night", { start: "2026-03-07T22:15:00", end: "2026-03-08T07:30:00" }, []],
  [
    "a day's mobile sessions from searches in the US",
    { start: "2026-03-08", end: "2026-03-09" },
    [
      { column: "referer_medium", operator: "==", value: "search" },
      { column: "device_type", operator: "==", value: "Mobile" },
      { column: "geo_country", operator: "==", value: "US" },
    ],
  ],
] as const;

/** Filters of Superset mean the same as in SQL, on the data of the number cases. */
export const filterCases = (system: TestSystem) =>
  describe("with filters", () => {
    it("filters an hour as SQL does, although the server is in another time zone", async () => {
      const client = await system.login();
      expect((await system.only<{ zone: string }>("SELECT timezone() AS zone")).zone).toBe(
        "America/New_York",
      );
      const hours = await system.marts.db.rows<{ start: string; rows: number; ms: number }>(
        `SELECT formatDateTime(toStartOfHour(event_timestamp, 'UTC'), '%Y-%m-%dT%H:00:00', 'UTC') AS start,
         toUInt32(countIf(event_type IN ('pageview', 'purchase'))) AS rows, toUnixTimestamp(toStartOfHour(event_timestamp, 'UTC')) * 1000 AS ms
       FROM dm.event_enriched GROUP BY start, ms ORDER BY start`,
      );
      expect(hours.length).toBeGreaterThan(30);
      for (const { start, rows } of hours.slice(5, 20)) {
        const end = new Date(Date.parse(`${start}Z`) + 3_600_000).toISOString().slice(0, 19);
        const filter = { col: "event_hour", op: "TEMPORAL_RANGE", val: `${start} : ${end}` };
        const answer = await question(client, events, {
          metrics: ["page_events"],
          filters: [filter],
        });
        expect(answer, start).toEqual([{ page_events: rows }]);
      }
      const atTheirTime = await system.marts.db.rows<{ rows: number; ms: number }>(
        `SELECT toUInt32(countIf(event_type IN ('pageview', 'purchase'))) AS rows, toUnixTimestamp(toStartOfHour(event_timestamp, 'UTC')) * 1000 AS ms
       FROM dm.event_enriched WHERE NOT has(event_markers, 'skewed_clock') GROUP BY ms ORDER BY ms`,
      );
      expect(atTheirTime.length).toBeLessThan(hours.length);
      // The first and the last hour are not complete.
      const whole = atTheirTime.slice(1, -1);
      const drawn = await rowsOf(client, charts.hourlyActivity);
      expect(
        drawn
          .map((row) => [Number(row.event_hour), row.page_events])
          .sort(([a], [b]) => Number(a) - Number(b)),
      ).toEqual(whole.map(({ ms, rows }) => [Number(ms), rows]));
    });

    it.each(RANGES.slice(IS_EXHAUSTIVE ? 0 : -1))(
      "filters every chart by %s as SQL does, even with a coarse time grain",
      async (_, range, choice) => {
        const client = await system.login();
        for (const chart of overTime) {
          const { dataset, title } = chart;
          const known = new Set(columnsOf(dataset.table).map(({ name }) => name));
          const chosen = choice.filter(({ column }) => known.has(column));
          const counted = await expected(system.marts, chart, range, chosen);
          const rows = await question(client, dataset, narrowed(chart, range, chosen));
          expect(shown(chart, rows), title).toEqual(counted.map((n) => expect.closeTo(n, 9)));
          // An hour holds no day.
          if (!isByDay(dataset)) expect(Math.max(...counted), title).toBeGreaterThan(0);
        }
      },
    );

    itLong("reads only the granules of the filtered hour, in the SQL of every chart", async () => {
      const client = await system.login();
      const range = { start: "2026-03-08T10:00:00", end: "2026-03-08T11:00:00" };
      for (const chart of overTime.filter(({ dataset }) => !isByDay(dataset))) {
        const { dataset, title } = chart;
        const sql = await generatedSql(client, dataset, narrowed(chart, range, []));
        expect(sql.replace(/\s+/g, " "), title).toContain(dateFilter(dataset, range));
        const [read] = await granulesOf(system.marts.db, sql);
        expect(read?.table, title).toBe(tableOf(dataset));
        // An hour is a 36th of the data.
        expect(read?.granules, sql).toBeLessThan(Number(read?.of) / 20);
      }
    });

    it.each([
      ["hour_of_day", "10"],
      ["weekday", "7 Sun"],
      ["hour", "whole"],
    ])("applies %s to the time itself on a chart with a daily grain", async (column, value) => {
      const client = await system.login();
      const only = [{ column, operator: "==", value }] as const;
      const counted = await expected(system.marts, charts.dailyActivity, WHOLE, only);
      const asked = narrowed(charts.dailyActivity, WHOLE, only);
      const rows = await question(client, events, asked);
      expect(shown(charts.dailyActivity, rows)).toEqual(counted);
      expect(Math.max(...counted)).toBeGreaterThan(0);
    });

    it("counts the days of a week, and sorts a chart by its time column", async () => {
      const client = await system.login();
      const weekly = { ...axisColumn("event_date"), timeGrain: "P1W" };
      const perDay = await question(client, events, {
        columns: [weekly],
        metrics: ["page_events_per_day"],
        orderby: [["event_date", false]],
      });
      const stored = await system.marts.db.rows<{ n: number }>(
        `SELECT countIf(event_type IN ('pageview', 'purchase')) / uniqExact(v_events_enriched.event_date) AS n
         FROM dm.v_events_enriched GROUP BY toMonday(event_date) AS week ORDER BY week DESC`,
      );
      expect(perDay.map(({ page_events_per_day }) => page_events_per_day)).toEqual(
        stored.map(({ n }) => expect.closeTo(n, 6)),
      );
      for (const chart of [charts.dailyActivity, charts.hourlyActivity, charts.registeredDaily]) {
        const time = chart.dataset.time ?? "";
        for (const ascending of [true, false]) {
          // Only one day of the data is complete.
          const all = { ...chart, only: [] };
          const asked = { ...narrowed(all, WHOLE, []), orderby: [[time, ascending]] };
          const times = (await question(client, chart.dataset, asked)).map((row) =>
            Number(row[time]),
          );
          const sorted = times.toSorted((a, b) => (ascending ? a - b : b - a));
          expect(times, chart.title).toEqual(sorted);
          expect(new Set(times).size, chart.title).toBeGreaterThan(1);
        }
      }
    });

    it("filters a day of the daily marts", async () => {
      const client = await system.login();
      const day = { start: "2026-03-08", end: "2026-03-09" };
      const answer = await question(client, funnel, {
        metrics: ["sum_sessions"],
        filters: [rangeFilter("session_date", day)],
      });
      const sql =
        "SELECT toUInt32(sum(sessions)) AS sum_sessions FROM dm.v_funnel WHERE session_date = '2026-03-08'";
      expect(answer).toEqual([await system.only(sql)]);
      const cohorts = await question(client, retention, {
        columns: ["cohort"],
        metrics: ["sum_visitors"],
        filters: [rangeFilter("cohort", { start: "2026-03-07", end: "2026-03-08" })],
      });
      expect(cohorts).toHaveLength(1);
    });
  });
