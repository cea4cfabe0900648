-- tier: service
-- One row per message from `pipeline ingest`; stores nothing. While this table is detached, the service pauses.
CREATE TABLE IF NOT EXISTS stg.geo_queue
(
    epoch        UInt64,
    _partition   Int32,
    _offset      Int64,
    _key         String,
    raw          String,
    emitted_at   String,
    timestamp_ms Int64
)
ENGINE = Null;

-- Remembers the tokens of the latest inserts, so that of two with one token the server stores one.
ALTER TABLE stg.geo_raw MODIFY SETTING non_replicated_deduplication_window = 1000;
