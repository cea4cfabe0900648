-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_daily_activity
    COMMENT 'One row per site and day of its clock, without events of skewed clocks.'
AS
SELECT
    event_date,
    site,
    countIf(event_type IN ('pageview', 'purchase')) AS page_events,
    uniqExact(click_id) AS sessions,
    uniqExact(user_custom_id) AS visitors,
    countIf(event_type = 'purchase') AS purchases,
    ifNull(sumIf(order_value, event_type = 'purchase'), 0) AS revenue,
    ifNull(sumIf(order_value, event_type = 'refund'), 0) AS refunds,
    revenue - refunds AS net_revenue
FROM dm.event_enriched
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date, site;
