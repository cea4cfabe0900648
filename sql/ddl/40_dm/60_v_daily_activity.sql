-- tier: all
-- One row per model day: page events, sessions, visitors and purchases; without events of a clock that is ahead.
CREATE VIEW IF NOT EXISTS dm.v_daily_activity AS
SELECT
    event_date,
    count() AS page_events,
    uniqExact(click_id) AS sessions,
    uniqExact(user_custom_id) AS visitors,
    countIf(event_type = 'purchase') AS purchases
FROM dm.event_enriched
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date;
