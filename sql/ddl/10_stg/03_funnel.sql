-- tier: all
-- One row per epoch whose data set has its own funnel: stages and their pages, as JSON.
CREATE TABLE IF NOT EXISTS stg.funnel
(
    epoch     UInt64,
    funnel    String,
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY epoch;
