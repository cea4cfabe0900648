-- tier: all
CREATE TABLE IF NOT EXISTS ods.browser_event
(
    event_id           UUID,
    click_id           UUID,
    site               LowCardinality(String),
    event_type         LowCardinality(String),
    browser_name       LowCardinality(String),
    browser_user_agent LowCardinality(String),
    browser_language   LowCardinality(String),
    order_value        Nullable(Decimal(18, 4)),
    currency           LowCardinality(String),
    properties         Map(String, String),
    event_timestamp    DateTime64(6, 'UTC'),
    markers            Array(LowCardinality(String)) COMMENT 'Markers of defects in the record',
    epoch              UInt64,
    _topic             LowCardinality(String),
    _partition         Int32,
    _offset            Int64,
    _timestamp         DateTime64(3, 'UTC'),
    emitted_at         Nullable(DateTime64(6, 'UTC')),
    ingested_at        DateTime64(6, 'UTC'),
    load_id            UInt64,
    INDEX load_id_range load_id TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset)
COMMENT 'One row per typed browser message; key (epoch, partition, offset) of its raw row.';
