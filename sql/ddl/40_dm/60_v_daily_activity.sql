-- tier: all
-- One row per model day: page events, sessions and visitors.
CREATE VIEW IF NOT EXISTS dm.v_daily_activity AS
SELECT
    event_date,
    count() AS page_events,
    uniqExact(click_id) AS visits,
    uniqExactIf(user_custom_id, user_custom_id != '') AS visitors,
    countIf(event_type = 'purchase') AS purchases
FROM dm.event_enriched
GROUP BY event_date;
