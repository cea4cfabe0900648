-- One row per day of the site's clock: page events, sessions, visitors, purchases, revenue and refunds.
SELECT
    event_date AS day,
    sum(v_daily_activity.page_events) AS page_events,
    sum(v_daily_activity.sessions) AS sessions,
    sum(v_daily_activity.visitors) AS visitors,
    sum(v_daily_activity.purchases) AS purchases,
    sum(v_daily_activity.revenue) AS revenue,
    sum(v_daily_activity.refunds) AS refunds,
    sum(v_daily_activity.net_revenue) AS net_revenue
FROM dm.v_daily_activity
GROUP BY event_date
ORDER BY event_date;
