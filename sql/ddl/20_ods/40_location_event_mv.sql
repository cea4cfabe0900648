-- tier: all
-- Typed messages of ods.location_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.location_event_mv TO ods.location_event AS
SELECT
    assumeNotNull(event_id) AS event_id,
    page_url,
    page_url_path,
    referer_url,
    referer_medium,
    utm_medium,
    utm_source,
    utm_content,
    utm_campaign,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.location_parsed
WHERE is_typed;
