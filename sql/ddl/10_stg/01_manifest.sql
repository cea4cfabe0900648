-- tier: all
CREATE TABLE IF NOT EXISTS stg.manifest
(
    epoch     UInt64,
    source    String COMMENT 'Instance of the generator, dataset, or the collector',
    statement String COMMENT 'What the source says of itself as JSON: its kind, the messages that it has sent, in total and per model day, and whether it sends more',
    manifest  String COMMENT 'Manifest of a whole history or dataset, as JSON; else empty',
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the row was stored, wall-clock time'
)
ENGINE = ReplacingMergeTree
ORDER BY (epoch, source)
COMMENT 'One row per epoch and source of messages.';
