-- tier: all
-- Marked messages of ods.location_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.location_event_errors_mv TO ods.location_event_errors AS
SELECT
    arrayStringConcat(markers, ',') AS error_reason,
    markers,
    is_typed,
    raw,
    epoch,
    _topic,
    _partition,
    _offset,
    _key,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.location_parsed
WHERE notEmpty(markers);
