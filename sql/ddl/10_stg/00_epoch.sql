-- tier: all
CREATE TABLE IF NOT EXISTS stg.epoch
(
    epoch      UInt64 COMMENT 'Epoch of the topics: their life between two re-creations',
    reason     LowCardinality(String) COMMENT 'Command, or first message, that added the epoch',
    started_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the epoch was added, wall-clock time'
)
ENGINE = MergeTree
ORDER BY epoch
COMMENT 'One row per epoch and registration: read the greatest epoch, or DISTINCT epochs. All epochs count in ods, dds and dm; the latest has priority per id, and gets messages without a header.';
