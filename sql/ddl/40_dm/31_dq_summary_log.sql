-- tier: all
CREATE TABLE IF NOT EXISTS dm.dq_summary_log
(
    lease_id    UInt64 COMMENT 'Lease under which the batch process computed the row',
    layer       LowCardinality(String),
    entity      LowCardinality(String),
    metric      LowCardinality(String),
    value       UInt64,
    computed_at DateTime64(6, 'UTC')
)
ENGINE = MergeTree
PARTITION BY toStartOfMonth(computed_at)
ORDER BY (lease_id, layer, entity, metric)
COMMENT 'The states of dm.dq_summary that load_dm_summary has committed, by the number of its lease. A run that is killed right after its commit leaves none. Rows are appended and never change, so the table shows how quality developed. `ddl --rebuild dm` empties it: no layer below holds earlier states.';
