-- One row per day of the site's clock: page events, sessions, visitors, purchases, revenue and refunds.
SELECT event_date AS day, page_events, sessions, visitors, purchases, revenue, refunds, net_revenue
FROM dm.v_daily_activity
ORDER BY event_date;
