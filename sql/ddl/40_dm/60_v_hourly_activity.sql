-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_hourly_activity
    COMMENT 'One row per site and hour of its clock, without events of skewed clocks.'
AS
SELECT
    event_date,
    event_hour,
    site,
    countIf(event_type IN ('pageview', 'purchase')) AS page_events,
    uniqExact(click_id) AS sessions
FROM dm.event_enriched
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date, event_hour, site;
