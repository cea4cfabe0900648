-- tier: all
CREATE TABLE IF NOT EXISTS stg.manifest
(
    epoch     UInt64,
    source    String COMMENT 'Generator instance or data set',
    statement String COMMENT 'Messages that the source has sent, in total and per model day, as JSON; isFinal: it sends no more',
    manifest  String COMMENT 'Manifest of a whole history or data set, as JSON; else empty',
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the row was stored, wall-clock time'
)
ENGINE = ReplacingMergeTree
ORDER BY (epoch, source)
COMMENT 'One row per epoch and source: messages sent by a backfill or a load.';
