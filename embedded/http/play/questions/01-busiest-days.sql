-- On which days was most going on?
-- Page events, sessions and visitors of each model day.
SELECT event_date, page_events, visits AS sessions, visitors, purchases
FROM dm.v_daily_activity
ORDER BY event_date
