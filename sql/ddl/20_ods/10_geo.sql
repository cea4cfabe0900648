-- tier: all
CREATE TABLE IF NOT EXISTS ods.geo_event
(
    click_id        UUID,
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
    load_id         UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per typed geo message; key (epoch, partition, offset) of its raw row.';
