-- tier: all
CREATE TABLE IF NOT EXISTS dm_internal.load_commit
(
    target       LowCardinality(String) COMMENT 'Table of dm that the load wrote',
    load_id      UInt64,
    lease_id     UInt64,
    definition   String,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY (target, load_id)
COMMENT 'One row per load and published table: every load of dds up to load_id is in it. The target truth lacks the loads of which no manifest publishes effects.';
