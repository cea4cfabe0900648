-- tier: all
-- One row per layer, entity and metric, of the last load: row counts, markers, duplicates and orphan_events.
CREATE TABLE IF NOT EXISTS dm.dq_summary
(
    layer       LowCardinality(String),
    entity      LowCardinality(String),
    metric      LowCardinality(String),
    value       UInt64,
    computed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY (layer, entity, metric);
