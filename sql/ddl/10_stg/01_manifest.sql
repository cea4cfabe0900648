-- tier: all
-- One row per epoch and source: messages sent by a backfill or a load. statement: counts in total and per
-- model day, and isFinal if known; manifest: JSON, empty for slices and appended loads.
CREATE TABLE IF NOT EXISTS stg.manifest
(
    epoch     UInt64,
    source    String,
    statement String,
    manifest  String,
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (epoch, source);
