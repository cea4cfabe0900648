-- tier: all
-- One row per broker message; key (epoch, partition, offset): a redelivered message replaces itself.
CREATE TABLE IF NOT EXISTS stg.browser_raw
(
    epoch       UInt64,
    _topic      LowCardinality(String),
    _partition  Int32,
    _offset     Int64,
    _key        String CODEC(ZSTD(1)),
    raw         String CODEC(ZSTD(1)),
    emitted_at  Nullable(DateTime64(6, 'UTC')),
    _timestamp  DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    ingested_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(ingested_at)
ORDER BY (epoch, _partition, _offset)
TTL toDateTime(ingested_at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1;
