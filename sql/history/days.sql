-- One row per model day: page events, sessions, visitors and purchases.
SELECT event_date AS day, page_events, sessions, visitors, purchases
FROM dm.v_daily_activity
ORDER BY event_date;
