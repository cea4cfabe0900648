-- tier: all
-- One row per browser message with at least one marker; key as in ods.browser_event.
-- is_typed: the message is also in ods.browser_event. A record may have several markers.
CREATE TABLE IF NOT EXISTS ods.browser_event_errors
(
    error_reason String,
    markers      Array(LowCardinality(String)),
    is_typed     Bool,
    raw          String CODEC(ZSTD(1)),
    epoch        UInt64,
    _topic       LowCardinality(String),
    _partition   Int32,
    _offset      Int64,
    _key         String,
    _timestamp   DateTime64(3, 'UTC'),
    emitted_at   Nullable(DateTime64(6, 'UTC')),
    ingested_at  DateTime64(6, 'UTC'),
    load_id      UInt64
)
ENGINE = MergeTree
ORDER BY (epoch, _partition, _offset);
