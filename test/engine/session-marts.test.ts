import { beforeAll, expect, test } from "vitest";
import { martMetrics } from "../../superset/metrics.ts";
import { generateMessages } from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeAll(async () => {
  const { messages } = await generateMessages("page views", 24);
  await publish(engine.db, messages);
  await load(engine.db, "full");
});

/** Page views of each session, summed up, beside the row of dm.session. */
const SESSIONS = `
  SELECT *
  FROM
  (
      SELECT
          click_id,
          count() AS views,
          arraySort(groupArray(page_number)) AS numbers,
          groupArrayIf(page_url_path, is_entry) AS entries,
          groupArrayIf(page_url_path, is_exit) AS exits,
          round(sum(time_on_page_seconds) * 1e6) AS micros,
          if(countIf(clock = 'right') = 0, 'ahead', 'right') AS clock_of_views,
          max(page_stage) AS furthest,
          uniqExact(session_date, channel) AS facts
      FROM dm.page_view
      GROUP BY click_id
  ) AS view
  FULL JOIN dm.session AS session USING click_id`;

test.each([
  ["every page event of a session has its number", "numbers = range(1, page_events + 1)"],
  ["one page view is the entry of a session", "entries = [entry_page]"],
  ["one page view is the exit of a session", "exits = [exit_page]"],
  ["times on page add up to the duration", "ifNull(micros, 0) = round(duration_seconds * 1e6)"],
  ["a session has a right clock with one page view that has", "clock_of_views = clock"],
  ["a session reaches the furthest stage of its pages", "furthest = funnel_stage"],
  ["page views of a session have the same facts", "facts = 1"],
])("%s", async (_, rule) => {
  const [row] = await engine.db.rows(
    `SELECT count() > 100 AS is_enough, countIf(NOT (${rule})) AS broken FROM (${SESSIONS})`,
  );
  expect(row).toEqual({ is_enough: 1, broken: 0 });
});

test("some sessions of the data have events of a skewed clock beside right ones", async () => {
  const [row] = await engine.db.rows(
    `SELECT count() > 0 AS found FROM
     (SELECT click_id FROM dm.page_view GROUP BY click_id HAVING uniqExact(clock) = 2)`,
  );
  expect(row).toEqual({ found: 1 });
});

test("an ordered funnel has at most the sessions of the unordered one, and no growing stage", async () => {
  const [row] = await engine.db.rows<{ stages: number }>(
    `SELECT count() AS stages, countIf(o.sessions > u.sessions) AS more, countIf(share_of_previous > 1) AS growing
     FROM dm.v_funnel_ordered AS o
     JOIN dm.v_funnel_unordered AS u USING (session_date, stage_number, stage)`,
  );
  expect(row).toMatchObject({ more: 0, growing: 0 });
  expect(Number(row?.stages)).toBeGreaterThanOrEqual(5);
});

test("the ordered funnel equals windowFunnel on the pages of the default funnel", async () => {
  const stages = await engine.db.rows(
    "SELECT stage_number, sum(v.sessions) AS sessions FROM dm.v_funnel_ordered AS v GROUP BY stage_number ORDER BY stage_number",
  );
  const expected = await engine.db.rows(
    `SELECT arrayJoin(range(1, 6)) AS stage_number, countIf(level >= stage_number) AS sessions
     FROM
     (
         SELECT windowFunnel(1000000)(page_number, page_url_path = '/home',
             page_url_path IN ('/product_a', '/product_b'), page_url_path = '/cart',
             page_url_path = '/payment', page_url_path = '/confirmation') AS level
         FROM dm.page_view
         WHERE clock = 'right'
         GROUP BY click_id
     )
     GROUP BY stage_number ORDER BY stage_number`,
  );
  expect(stages).toEqual(expected);
});

test("the shares of dm.v_channels_daily are those of the metrics of dm.session", async () => {
  const { conversion, bounce_rate } = martMetrics.session;
  const columns = "session_date, channel, conversion, bounce_rate";
  const daily = await engine.db.rows(
    `SELECT ${columns} FROM dm.v_channels_daily ORDER BY session_date, channel`,
  );
  const expected = await engine.db.rows(
    `SELECT session_date, channel, ${conversion.expression} AS conversion, ${bounce_rate.expression} AS bounce_rate
     FROM dm.session WHERE clock = 'right' GROUP BY session_date, channel ORDER BY session_date, channel`,
  );
  expect(daily.length).toBeGreaterThan(3);
  expect(daily).toEqual(expected);
});
