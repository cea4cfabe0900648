-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_event_types
    COMMENT 'One row per site, day of its clock and event type, without events of skewed clocks.'
AS
SELECT
    event_date,
    site,
    event_type,
    count() AS events,
    uniqExact(click_id) AS sessions,
    uniqExact(user_custom_id) AS visitors,
    ifNull(sum(event.order_value), 0) AS order_value
FROM dm.event_enriched AS event
WHERE NOT has(event_markers, 'skewed_clock')
GROUP BY event_date, site, event_type;

ALTER TABLE dm.v_event_types
    COMMENT COLUMN events 'Events of the type',
    COMMENT COLUMN order_value 'Sum of order_value of the events';
