-- tier: all
CREATE TABLE IF NOT EXISTS ods.location_event
(
    event_id       UUID,
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
    load_id        UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per typed location message; key (epoch, partition, offset) of its raw row.';
