-- tier: all
CREATE TABLE IF NOT EXISTS ods.device_event
(
    click_id         UUID,
    user_domain_id   Nullable(UUID),
    user_custom_id   String,
    os               LowCardinality(String),
    os_name          LowCardinality(String),
    os_timezone      LowCardinality(String),
    device_type      LowCardinality(String),
    device_is_mobile Nullable(Bool),
    markers          Array(LowCardinality(String)),
    epoch            UInt64,
    _topic           LowCardinality(String),
    _partition       Int32,
    _offset          Int64,
    _timestamp       DateTime64(3, 'UTC'),
    emitted_at       Nullable(DateTime64(6, 'UTC')),
    ingested_at      DateTime64(6, 'UTC'),
    load_id          UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per typed device message; key (epoch, partition, offset) of its raw row.';
