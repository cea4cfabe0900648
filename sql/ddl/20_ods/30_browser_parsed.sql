-- tier: all
-- Feeds each browser message, parsed once, to ods.browser_event and ods.browser_event_errors.
CREATE TABLE IF NOT EXISTS ods.browser_parsed
(
    is_typed           Bool,
    raw                String,
    _key               String,
    event_id           Nullable(UUID),
    click_id           Nullable(UUID),
    event_type         LowCardinality(String),
    browser_name       LowCardinality(String),
    browser_user_agent LowCardinality(String),
    browser_language   LowCardinality(String),
    event_timestamp    Nullable(DateTime64(6, 'UTC')),
    markers            Array(LowCardinality(String)),
    epoch              UInt64,
    _topic             LowCardinality(String),
    _partition         Int32,
    _offset            Int64,
    _timestamp         DateTime64(3, 'UTC'),
    emitted_at         Nullable(DateTime64(6, 'UTC')),
    ingested_at        DateTime64(6, 'UTC'),
    load_id            UInt64
)
ENGINE = Null;
