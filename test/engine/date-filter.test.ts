import { beforeAll, expect, test } from "vitest";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import { datasets } from "../../superset/datasets.ts";
import { sqlOf } from "../support/chart-sql.ts";
import { dateFilter, granulesOf, type Instants } from "../support/date-filter.ts";
import { rowsReadBy } from "../support/engine.ts";
import { useTestEngine } from "../support/use-engine.ts";

const DAYS = 60;
const PER_DAY = 6_000;
const DAY = { start: "2026-02-11T00:00:00", end: "2026-02-12T00:00:00" };
const GRANULE = 1_024;
/** Rows of small tables and of constants. */
const FEW = 10;

const engine = useTestEngine();
beforeAll(async () => {
  const time = `toDateTime64('2026-01-20 00:00:00', 6, 'UTC') + intDiv(number * 86400, ${PER_DAY})`;
  const rows = `FROM numbers(${DAYS * PER_DAY})`;
  await engine.db.run(`
    INSERT INTO dm.event_enriched (event_id, click_id, event_timestamp, event_date)
    SELECT generateUUIDv4(1), generateUUIDv4(2), ${time} AS time, toDate(time, 'UTC') ${rows}`);
  await engine.db.run(`
    INSERT INTO dm.page_view (event_id, click_id, event_timestamp, event_date, session_date)
    SELECT generateUUIDv4(1), generateUUIDv4(2), ${time} AS time, toDate(time, 'UTC') AS date, date ${rows}`);
  await engine.db.run(`
    INSERT INTO dm.session (click_id, started_at, session_date, page_events, is_registered)
    SELECT generateUUIDv4(), ${time} AS time, toDate(time, 'UTC'), 1, true ${rows}`);
});

/** Marts that read more than the filtered days, by reason. */
const WHOLE = {
  "a cohort is known only from all sessions of its visitors": ["v_retention", "v_cohort_retention"],
  "the names of the stages come from all sessions": ["v_funnel_ordered", "v_funnel_unordered"],
  "a change is the difference from an earlier day": ["v_dq_summary_daily"],
  "messages of the last minutes are read from stg": ["v_live_events", "v_live_minutes"],
};
const isWhole = new Set(Object.values(WHOLE).flat());
const filtered = datasets.filter(({ table, time }) => time !== null && !isWhole.has(table));

/** The filter of a day, and of hours that begin within one. */
const RANGES = [
  { start: "2026-02-11T00:00:00", end: "2026-02-12T00:00:00" },
  { start: "2026-02-10T22:15:00", end: "2026-02-11T07:30:00" },
] as const;

test.each(
  allCharts
    .filter(({ dataset }) => filtered.includes(dataset))
    .map((chart) => [chart.title, chart] as const),
)("a date filter on the chart %s reads only its granules", async (_, chart) => {
  for (const range of RANGES) {
    await expectPruned(sqlOf(chart, dateFilter(chart.dataset, range)), range);
  }
});

test.each(filtered.map((dataset) => [dataset.table, dataset] as const))(
  "a date filter on %s reads only its granules",
  async (table, dataset) => {
    const metrics = dataset.metrics.map(({ expression }) => expression);
    await expectPruned(`SELECT ${metrics} FROM dm.${table} WHERE ${dateFilter(dataset, DAY)}`, DAY);
  },
);

test.each([
  "SELECT uniq(click_id) FROM dm.v_events_enriched WHERE event_date = '2026-02-11'",
  "SELECT uniq(click_id) FROM dm.v_events_enriched WHERE toDate(event_timestamp) = '2026-02-11'",
  "SELECT uniq(user_custom_id) FROM dm.session WHERE session_date = '2026-02-11'",
  "SELECT uniq(user_custom_id) FROM dm.v_session_overview WHERE toDate(started_at) = '2026-02-11'",
])("%s reads only its granules", (sql) => expectPruned(sql, DAY));

test.each([
  ["follow's session", "SELECT * FROM dm.session WHERE click_id = {click_id:UUID}"],
  ["page events", "SELECT * FROM dm.v_events_enriched WHERE click_id = {click_id:UUID}"],
])("a look-up of %s by click_id reads few rows", async (_, sql) => {
  const table = /dm\.\w+/.exec(sql)?.[0];
  const [row] = await engine.db.rows<{ id: string }>(
    `SELECT click_id AS id FROM ${table} ORDER BY id LIMIT 1`,
  );
  const read = await rowsReadBy(engine.db, sql.replace("{click_id:UUID}", `'${row?.id}'`));
  expect(read).toBeGreaterThan(0);
  expect(read, sql).toBeLessThan((DAYS * PER_DAY) / 10);
});

async function expectPruned(sql: string, { start, end }: Instants): Promise<void> {
  const days = (Date.parse(`${end}Z`) - Date.parse(`${start}Z`)) / 86_400_000;
  // The granules at both ends also hold rows of the hours outside.
  const most = Math.floor((days * PER_DAY) / GRANULE + 2);
  const reads = await granulesOf(engine.db, sql);
  expect(reads.length, sql).toBeGreaterThan(0);
  for (const { table, granules, of } of reads) {
    expect(granules, `${table}: ${sql}`).toBeLessThanOrEqual(most);
    expect(of, table).toBeGreaterThan((DAYS * PER_DAY) / GRANULE - 2);
  }
  expect(await rowsReadBy(engine.db, sql), sql).toBeLessThanOrEqual(most * GRANULE + FEW);
}
