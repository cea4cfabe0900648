-- tier: all
CREATE TABLE IF NOT EXISTS dm.dq_summary
(
    layer       LowCardinality(String) COMMENT 'Layer of the data: stg, ods, dds or dm',
    entity      LowCardinality(String) COMMENT 'Table of the layer',
    metric      LowCardinality(String) COMMENT 'rows, typed, rejected, duplicates, superseded, orphan_events, or a marker',
    value       UInt64 COMMENT 'Value of the metric',
    computed_at DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When the batch process computed the value, UTC wall-clock time'
)
ENGINE = MergeTree
ORDER BY (layer, entity, metric)
COMMENT 'One row per layer, entity and metric: totals over all rows, as of the last load.';
