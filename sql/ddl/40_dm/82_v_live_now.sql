-- tier: all
CREATE VIEW IF NOT EXISTS dm.v_live_now
    SQL SECURITY DEFINER
    COMMENT 'One row: who is active, and how old the data are.'
AS
WITH (SELECT (anyIf(newest, layer = 'stg'), anyIf(newest, layer = 'dm')) FROM dm_internal.v_freshness) AS newest
SELECT
    uniqExact(user_custom_id) AS active_visitors,
    uniqExact(click_id) AS active_sessions,
    dateDiff('second', newest.1, now64(6, 'UTC')) AS message_age_seconds,
    greatest(0, dateDiff('second', newest.2, newest.1)) AS marts_behind_seconds,
    quantileExactIf(0.5)(dateDiff('second', event_timestamp, ingested_at), NOT hasAny(event_markers, ['late_event', 'skewed_clock'])) AS event_lag_seconds
FROM dm.v_live_events
WHERE ingested_at > now64(6, 'UTC') - INTERVAL 5 MINUTE;

ALTER TABLE dm.v_live_now
    COMMENT COLUMN active_visitors 'Visitors with an event in the last 5 minutes',
    COMMENT COLUMN active_sessions 'Sessions with an event in the last 5 minutes',
    COMMENT COLUMN message_age_seconds 'Seconds since the newest message came to stg',
    COMMENT COLUMN marts_behind_seconds 'Seconds by which dm is behind stg; 0 if it has all messages',
    COMMENT COLUMN event_lag_seconds 'Seconds from an event to its arrival, median of the last 5 minutes. After a history or a pause, event times of the generator lag by a constant';
