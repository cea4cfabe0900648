-- tier: all
-- One row per lease, the right of one run to write the layers. Numbers are never reused, so never empty the
-- table. A renewal adds a row, and merges keep the latest: read it with FINAL.
CREATE TABLE IF NOT EXISTS stg.lease
(
    id          UInt64,
    step        LowCardinality(String),
    owner       String,
    acquired_at DateTime64(6, 'UTC'),
    renewed_at  DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(renewed_at)
ORDER BY id;
