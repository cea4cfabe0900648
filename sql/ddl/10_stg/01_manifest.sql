-- tier: all
-- One row per epoch and source: what a backfill or a load says it sent.
-- statement: counts in all and per model day, and isFinal where the source is known to have finished or
-- not; manifest: empty for slices and appended loads (JSON).
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
