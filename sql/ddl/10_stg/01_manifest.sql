-- tier: all
-- One row per finished backfill or loaded data set: what its source says it contains (JSON).
CREATE TABLE IF NOT EXISTS stg.manifest
(
    epoch     UInt64,
    manifest  String,
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY epoch;
