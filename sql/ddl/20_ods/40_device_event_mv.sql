-- tier: all
-- Typed messages of ods.device_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.device_event_mv TO ods.device_event AS
SELECT
    assumeNotNull(click_id) AS click_id,
    user_domain_id,
    user_custom_id,
    os,
    os_name,
    os_timezone,
    device_type,
    device_is_mobile,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.device_parsed
WHERE is_typed;
