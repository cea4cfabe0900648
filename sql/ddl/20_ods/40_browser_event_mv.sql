-- tier: all
-- Typed messages of ods.browser_parsed.
CREATE MATERIALIZED VIEW IF NOT EXISTS ods.browser_event_mv TO ods.browser_event AS
SELECT
    assumeNotNull(event_id) AS event_id,
    assumeNotNull(click_id) AS click_id,
    event_type,
    browser_name,
    browser_user_agent,
    browser_language,
    assumeNotNull(event_timestamp) AS event_timestamp,
    markers,
    epoch,
    _topic,
    _partition,
    _offset,
    _timestamp,
    emitted_at,
    ingested_at,
    load_id
FROM ods.browser_parsed
WHERE is_typed;
