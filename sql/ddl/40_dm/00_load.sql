-- tier: all
-- One row per load and published table: every load of dds up to load_id is in it. definition: changes with
-- every SELECT of dds and dm and the funnel. lease_id: the lease of its step (stg.lease).
-- The target truth lacks the loads of which no manifest publishes effects.
CREATE TABLE IF NOT EXISTS dm_internal.load_commit
(
    target       LowCardinality(String),
    load_id      UInt64,
    lease_id     UInt64,
    definition   String,
    committed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY (target, load_id);
