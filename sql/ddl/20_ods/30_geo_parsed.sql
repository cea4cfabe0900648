-- tier: all
-- Feeds each geo message, parsed once, to ods.geo_event and ods.geo_event_errors.
CREATE TABLE IF NOT EXISTS ods.geo_parsed
(
    is_typed        Bool,
    raw             String,
    _key            String,
    click_id        Nullable(UUID),
    geo_country     LowCardinality(String),
    geo_timezone    LowCardinality(String),
    geo_region_name LowCardinality(String),
    ip_address      String,
    geo_latitude    Nullable(Float64),
    geo_longitude   Nullable(Float64),
    markers         Array(LowCardinality(String)),
    epoch           UInt64,
    _topic          LowCardinality(String),
    _partition      Int32,
    _offset         Int64,
    _timestamp      DateTime64(3, 'UTC'),
    emitted_at      Nullable(DateTime64(6, 'UTC')),
    ingested_at     DateTime64(6, 'UTC'),
    load_id         UInt64
)
ENGINE = Null;
