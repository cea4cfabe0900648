-- tier: service
-- One row per message received.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.device_mv TO stg.device_raw AS
SELECT
    epoch,
    'device_events' AS _topic,
    _partition,
    _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(emitted_at, ''), 6, 'UTC') AS emitted_at,
    toTimeZone(if(timestamp_ms < 0, now64(3), fromUnixTimestamp64Milli(timestamp_ms)), 'UTC') AS _timestamp
FROM stg.device_queue;
