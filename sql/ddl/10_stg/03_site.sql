-- tier: all
CREATE TABLE IF NOT EXISTS stg.site
(
    epoch     UInt64,
    settings  String COMMENT 'Time zone, funnel and session pause of the site, as JSON; what it leaves out has its default',
    stored_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(stored_at)
ORDER BY epoch
COMMENT 'One row per epoch whose dataset describes its site (contract/site.ts).';
