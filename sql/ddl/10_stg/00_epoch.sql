-- tier: all
-- One row per epoch of the topics. A message without an epoch header belongs to the latest one.
CREATE TABLE IF NOT EXISTS stg.epoch
(
    epoch      UInt64,
    reason     LowCardinality(String),
    started_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY epoch;
