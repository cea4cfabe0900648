-- tier: service
-- One row per message received.
CREATE MATERIALIZED VIEW IF NOT EXISTS stg.location_mv TO stg.location_raw AS
SELECT
    epoch,
    'location_events' AS _topic,
    _partition,
    _offset,
    _key,
    raw,
    toDateTime64OrNull(nullIf(emitted_at, ''), 6, 'UTC') AS emitted_at,
    toTimeZone(if(timestamp_ms < 0, now64(3), fromUnixTimestamp64Milli(timestamp_ms)), 'UTC') AS _timestamp
FROM stg.location_queue;
