-- tier: all
-- Feeds each location message, parsed once, to ods.location_event and ods.location_event_errors.
CREATE TABLE IF NOT EXISTS ods.location_parsed
(
    is_typed       Bool,
    raw            String,
    _key           String,
    event_id       Nullable(UUID),
    page_url       LowCardinality(String),
    page_url_path  LowCardinality(String),
    referer_url    LowCardinality(String),
    referer_medium LowCardinality(String),
    utm_medium     LowCardinality(String),
    utm_source     LowCardinality(String),
    utm_content    LowCardinality(String),
    utm_campaign   LowCardinality(String),
    markers        Array(LowCardinality(String)),
    epoch          UInt64,
    _topic         LowCardinality(String),
    _partition     Int32,
    _offset        Int64,
    _timestamp     DateTime64(3, 'UTC'),
    emitted_at     Nullable(DateTime64(6, 'UTC')),
    ingested_at    DateTime64(6, 'UTC'),
    load_id        UInt64
)
ENGINE = Null;
