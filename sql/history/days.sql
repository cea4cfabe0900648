-- One row per model day: page events, sessions, visitors, purchases and revenue.
SELECT event_date AS day, page_events, sessions, visitors, purchases, revenue
FROM dm.v_daily_activity
ORDER BY event_date;
