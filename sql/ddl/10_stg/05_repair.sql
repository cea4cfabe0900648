-- tier: all
CREATE TABLE IF NOT EXISTS stg.repair
(
    _topic       LowCardinality(String) COMMENT 'Topic of the message',
    epoch        UInt64 COMMENT 'Epoch of the topics: their life between two re-creations',
    _partition   Int32 COMMENT 'Partition of the message',
    _offset      Int64 COMMENT 'Offset of the message in its partition',
    by_epoch     UInt64 COMMENT 'Epoch of the message that repairs it',
    by_partition Int32 COMMENT 'Partition of the message that repairs it',
    by_offset    Int64 COMMENT 'Offset of the message that repairs it',
    emitted_at   Nullable(DateTime64(6, 'UTC')) COMMENT 'When the visitor sent the message, model time',
    stored_at    DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the row was stored, wall-clock time'
)
ENGINE = ReplacingMergeTree
ORDER BY (_topic, epoch, _partition, _offset, by_epoch, by_partition, by_offset)
COMMENT 'One row per rejected message and the one that repairs it (by_…). Kept longer than stg.raw, so that a message is repaired once.';
