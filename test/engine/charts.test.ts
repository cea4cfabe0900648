import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { rateByBrowser } from "../../superset/charts/behaviour.ts";
import {
  dailyActivity,
  registeredDaily,
  revenueDaily,
  wave,
} from "../../superset/charts/overview.ts";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import type { Chart } from "../../superset/model.ts";
import { nameOf, sqlOf } from "../support/chart-sql.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { normalise, parseTable } from "./expected-rows/notation.ts";
import { insertRows, readRows, sorted } from "./expected-rows/tables.ts";

const { given, expect: wanted } = parse(
  readFileSync(join(import.meta.dirname, "charts.yaml"), "utf8"),
) as Record<"given" | "expect", Record<string, string>>;

const engine = useTestEngine();
beforeAll(async () => {
  // The live views show the time at which a test runs; live.test.ts is theirs.
  for (const view of Object.keys(given).filter((name) => name.startsWith("dm.v_live_"))) {
    await engine.db.run(`CREATE TABLE default.rows ENGINE = Memory EMPTY AS SELECT * FROM ${view}`);
    await engine.db.run(`DROP TABLE ${view}`);
    await engine.db.run(`RENAME TABLE default.rows TO ${view}`);
  }
  for (const [table, rows] of Object.entries(given)) {
    await insertRows(engine.db, table, parseTable(rows));
  }
});

test("every chart of the dashboard has expected rows by its title", () => {
  expect(allCharts.map(({ title }) => title).sort()).toEqual(Object.keys(wanted).sort());
});

test.each(allCharts.map((chart) => [chart.title, chart] as const))("%s", async (title, chart) => {
  const { columns, rows } = parseTable(wanted[title] ?? "");
  // An age is counted until this time.
  const sql = sqlOf(chart).replaceAll("now()", "toDateTime('2026-01-03 00:07:30', 'UTC')");
  const found = await readRows(engine.db, sql, {}, columns);
  expect(sorted(found)).toEqual(sorted(rows.map((row) => row.map(normalise))));
  expect(found.flat(), "rows without a name").not.toContain("");
  const asked = [...chart.query.columns.map(nameOf), ...chart.query.metrics];
  expect(asked.sort()).toEqual([...columns].sort());
});

test.each([
  ["without a first day that began late", "2026-01-01 00:01:00", ["2026-01-02"]],
  [
    "with every day before one is complete",
    "2026-01-02 09:00:00",
    ["2026-01-01", "2026-01-02", "2026-01-03"],
  ],
])("a chart by day is %s", async (_, from, days) => {
  await engine.db.run("TRUNCATE TABLE dm.complete_period");
  await engine.db.run(
    `INSERT INTO dm.complete_period VALUES ('${from}', '2026-01-03 00:00:00', '2026-01-02', 'UTC', 0)`,
  );
  const found = await readRows(engine.db, sqlOf(dailyActivity), {}, ["event_hour"]);
  expect(sorted(found)).toEqual(days.map((day) => [day]));
});

test("days and hours of a chart are the site's, and its last bar is whole", async () => {
  const { db } = engine;
  for (const table of ["event_enriched", "session", "complete_period"]) {
    await db.run(`TRUNCATE TABLE dm.${table}`);
  }
  // A session every 20 minutes of Tokyo's clock from the first to an hour after the third day.
  const local = "toDateTime64('2026-07-03 00:00:00', 6, 'UTC') + number * 1200";
  const from = "FROM numbers(219)";
  await db.run(`
    INSERT INTO dm.event_enriched (event_id, click_id, event_type, event_timestamp, event_date, event_hour)
    SELECT generateUUIDv4(1), generateUUIDv4(2), 'pageview', ${local} - INTERVAL 9 HOUR, toDate(${local}), toStartOfHour(${local}) ${from}`);
  await db.run(`
    INSERT INTO dm.session (click_id, revenue, channel, browser_name, is_registered, device_type, started_at, session_date, session_hour)
    SELECT generateUUIDv4(), 1, 'direct', 'Firefox', true, 'Mobile', ${local} - INTERVAL 9 HOUR, toDate(${local}), toStartOfHour(${local}) ${from}`);
  await db.run(
    "INSERT INTO dm.complete_period VALUES ('2026-07-03 00:00:00', '2026-07-06 01:00:00', '2026-07-05', 'Asia/Tokyo', 0)",
  );
  const days = ["2026-07-03", "2026-07-04", "2026-07-05"];
  const read = async (of: Chart, columns: string[]) =>
    sorted(await readRows(db, sqlOf(of), {}, columns));
  const perDay = days.map((day) => [day, "72"]);
  expect(await read(dailyActivity, ["event_hour", "sessions"])).toEqual(perDay);
  expect(await read(registeredDaily, ["session_hour", "sessions"])).toEqual(perDay);
  expect(await read(revenueDaily, ["session_hour", "revenue"])).toEqual(perDay);
  expect((await read(rateByBrowser, ["session_hour"])).flat()).toEqual(days);
  // The hour after the last day is counted, too.
  const hours = await read(wave, ["hour_of_day", "page_events_per_day"]);
  expect(hours).toHaveLength(24);
  expect(new Set(hours.map(([, mean]) => mean))).toEqual(new Set(["3"]));
});
