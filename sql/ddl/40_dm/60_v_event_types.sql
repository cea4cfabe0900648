-- tier: all
-- One row per model day and event type: events, sessions and visitors with one, and the sum of order_value;
-- without events of a clock that is ahead.
CREATE VIEW IF NOT EXISTS dm.v_event_types AS
SELECT
    event_date,
    event_type,
    count() AS events,
    uniqExact(click_id) AS sessions,
    uniqExact(user_custom_id) AS visitors,
    ifNull(sum(event.order_value), 0) AS order_value
FROM dm.event_enriched AS event
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date, event_type;
