-- tier: all
-- Typed messages of ods.geo_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.geo_event_mv TO ods.geo_event AS
SELECT
    assumeNotNull(click_id) AS click_id,
    geo_country,
    geo_timezone,
    geo_region_name,
    ip_address,
    geo_latitude,
    geo_longitude,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.geo_parsed
WHERE is_typed;
