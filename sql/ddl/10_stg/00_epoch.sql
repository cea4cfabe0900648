-- tier: all
-- One row per epoch and registration: read the greatest epoch, or DISTINCT epochs. All epochs count in ods,
-- dds and dm; the latest has priority per id, and gets messages without a header.
CREATE TABLE IF NOT EXISTS stg.epoch
(
    epoch      UInt64,
    reason     LowCardinality(String),
    started_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY epoch;
