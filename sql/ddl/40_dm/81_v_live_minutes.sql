-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_live_minutes
    SQL SECURITY DEFINER
    COMMENT 'One row per minute of the last 30, by the time at which messages came; the current minute is not over.'
AS
WITH
    event AS
    (
        SELECT
            minute,
            countIf(event_type IN ('pageview', 'purchase')) AS page_events,
            countIf(event_type = 'purchase') AS purchases,
            ifNull(sumIf(order_value, event_type = 'purchase'), 0) AS revenue,
            uniqExact(click_id) AS sessions,
            uniqExact(user_custom_id) AS visitors
        FROM dm.v_live_events
        GROUP BY minute
    ),
    rejected AS
    (
        SELECT toStartOfMinute(ingested_at) AS minute, count() AS messages
        FROM
        (
            SELECT ingested_at FROM dm_internal.live_browser WHERE NOT is_typed
            UNION ALL
            SELECT ingested_at FROM dm_internal.live_location WHERE NOT is_typed
            UNION ALL
            SELECT ingested_at FROM dm_internal.live_device WHERE NOT is_typed
            UNION ALL
            SELECT ingested_at FROM dm_internal.live_geo WHERE NOT is_typed
        )
        GROUP BY minute
    )
SELECT
    clock.minute AS minute,
    clock.minutes_ago AS minutes_ago,
    event.page_events AS page_events,
    event.sessions AS sessions,
    event.visitors AS visitors,
    event.purchases AS purchases,
    event.revenue AS revenue,
    rejected.messages AS rejected_messages
FROM (SELECT toStartOfMinute(now('UTC')) - toIntervalMinute(number) AS minute, toUInt8(number) AS minutes_ago FROM numbers(30)) AS clock
LEFT JOIN event ON clock.minute = event.minute
LEFT JOIN rejected ON clock.minute = rejected.minute;

ALTER TABLE dm.v_live_minutes
    COMMENT COLUMN minutes_ago '0 is the current minute',
    COMMENT COLUMN rejected_messages 'Messages of all streams that a load will reject';
