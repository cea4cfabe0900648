-- tier: all
CREATE TABLE IF NOT EXISTS stg.site
(
    epoch     UInt64,
    site      String COMMENT 'Time zone and funnel of the site, as JSON',
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY epoch
COMMENT 'One row per epoch whose data set describes its site (contract/site.ts).';
