-- tier: all
-- One row per epoch whose data set describes its site (contract/site.ts), as JSON.
CREATE TABLE IF NOT EXISTS stg.site
(
    epoch     UInt64,
    site      String,
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY epoch;
