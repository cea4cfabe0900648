-- tier: all
-- One row per model hour: page events and sessions.
CREATE VIEW IF NOT EXISTS dm.v_hourly_activity AS
SELECT
    event_date,
    toStartOfHour(event_timestamp, 'UTC') AS event_hour,
    count() AS page_events,
    uniqExact(click_id) AS visits
FROM dm.event_enriched
GROUP BY event_date, event_hour;
